import { setTimeout as pause } from 'node:timers/promises';
import { isHistory } from '@waymark/domain/streams.ts';
import { type EventLog, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { openEventStoreLog } from '@waymark/event-log/eventstoredb/event-log.ts';
import { logOfItsOwn } from '@waymark/event-log/testing/temporary-logs.ts';
import { describeOn, urlOf } from '@waymark/test-engines/test-engines.ts';
import { tokensContract } from '../../contract/token-store.ts';
import { sampleToken } from '../../testing/sample-token.ts';
import { outdatedMs, unreliable } from '../../testing/unreliable.ts';
import { toStoredToken } from '../stored-token.ts';
import { TokenStoreUnavailable } from '../token-store.ts';
import { createEventLogTokenStore } from './token-store.ts';

// The contract test saves 600 tokens at once, and the engine shares a busy machine with many other tests.
type ClosableLog = EventLog & { readonly close: () => Promise<void> };

const onLog = (open: () => Promise<ClosableLog>): (() => EventLog) => {
  let log: ClosableLog;
  beforeAll(async () => {
    log = await open();
  });
  afterAll(() => log.close());
  return () => log;
};

describe('over the log in SQLite,', () => {
  const log = onLog(() => logOfItsOwn());
  tokensContract('the event log', () => createEventLogTokenStore({ log: log() }));
});

describeOn(['eventstore'], 'over the log in EventStoreDB,', () => {
  const log = onLog(async () => openEventStoreLog({ url: urlOf('eventstore') }));
  tokensContract('the event log', () => createEventLogTokenStore({ log: log() }));
});

describe('tokens in the event log', () => {
  const log = onLog(() => logOfItsOwn());
  const nowMs = Date.UTC(2026, 5, 1);
  /** Finds a token as another process does: each call creates a new store. */
  const find = (hash: string, over: EventLog = log()) => createEventLogTokenStore({ log: over }).find(hash, nowMs);

  it('are housekeeping events without an account, and are stored as they were issued', async () => {
    const record = sampleToken();
    const tokens = createEventLogTokenStore({ log: log() });
    await tokens.save(record);
    await tokens.revoke(record.hash);
    const stream = `token-${record.hash}`;
    expect(isHistory(stream)).toBe(false);
    const events = await log().read(stream, 0);
    const housekeeping = { version: 1, account: '', token: null, sanitized: false };
    expect(events.map(({ envelope }) => envelope)).toMatchObject([
      { type: 'TokenIssued', actor: record.application, ...housekeeping },
      { type: 'TokenRevoked', actor: 'waymark', ...housekeeping },
    ]);
    const { incarnation } = await log().state();
    const { hash, ...rest } = toStoredToken(record);
    expect(JSON.parse(events[0]?.content ?? '')).toEqual({ ...rest, incarnation });
    expect(events[1]?.content).toBe('{}');
  });

  it('are found by another process, and are refused there once they are revoked', async () => {
    const record = sampleToken();
    await createEventLogTokenStore({ log: log() }).save(record);
    expect(await find(record.hash)).toEqual(record);
    await createEventLogTokenStore({ log: log() }).revoke(record.hash);
    expect(await find(record.hash)).toBeUndefined();
  });

  it('are revoked once by concurrent requests', async () => {
    const record = sampleToken();
    await createEventLogTokenStore({ log: log() }).save(record);
    await Promise.all(Array.from({ length: 20 }, () => createEventLogTokenStore({ log: log() }).revoke(record.hash)));
    expect(await log().read(`token-${record.hash}`, 0)).toHaveLength(2);
  });

  it('are revoked once by repeated requests', async () => {
    const record = sampleToken();
    const tokens = createEventLogTokenStore({ log: log() });
    await tokens.revoke(record.hash);
    await tokens.save(record);
    for (let time = 0; time < 3; time += 1) await tokens.revoke(record.hash);
    expect(await log().read(`token-${record.hash}`, 0)).toHaveLength(2);
  });

  it('are not saved again if the log reports that nothing was appended', async () => {
    const append = jest.fn(() => Promise.reject(new LogUnavailable('away')));
    await expect(createEventLogTokenStore({ log: { ...log(), append } }).save(sampleToken())).rejects.toThrow(TokenStoreUnavailable);
    expect(append).toHaveBeenCalledTimes(1);
  });

  it('are not reported as unavailable after another error', async () => {
    const broken: EventLog = { ...log(), read: () => Promise.reject(new RangeError('It is out of range.')) };
    await expect(find(sampleToken().hash, broken)).rejects.toThrow(RangeError);
  });

  it.each([[['before']], [['after']], [['before', 'after']], [['before', 'before', 'after']]] as const)(
    'are saved and revoked once if the append is cut off: %s',
    async (cuts) => {
      const record = sampleToken();
      const cutOff = unreliable(log());
      const tokens = createEventLogTokenStore({ log: cutOff });
      cutOff.faults.cuts.push(...cuts);
      await tokens.save(record);
      expect(await find(record.hash)).toEqual(record);
      cutOff.faults.cuts.push(...cuts);
      await tokens.revoke(record.hash);
      expect(await find(record.hash)).toBeUndefined();
      expect(await log().read(`token-${record.hash}`, 0)).toHaveLength(2);
      expect(cutOff.faults.cuts).toHaveLength(0);
    },
  );

  it('are not reported as saved if the result of the append stays unknown', async () => {
    const cutOff = unreliable(log());
    cutOff.faults.cuts.push(...Array.from({ length: 1_000 }, () => 'before' as const));
    await expect(createEventLogTokenStore({ log: cutOff }).save(sampleToken())).rejects.toThrow(TokenStoreUnavailable);
    expect(cutOff.faults.cuts).not.toHaveLength(0);
  });

  it('are unavailable while the log is, and available again with it', async () => {
    const record = sampleToken();
    const flaky = unreliable(log());
    const tokens = createEventLogTokenStore({ log: flaky });
    flaky.faults.unavailable = true;
    const calls = [() => tokens.save(record), () => tokens.find(record.hash, nowMs), () => tokens.revoke(record.hash)];
    for (const call of calls) await expect(call()).rejects.toThrow(TokenStoreUnavailable);
    flaky.faults.unavailable = false;
    await tokens.save(record);
    expect(await tokens.find(record.hash, nowMs)).toEqual(record);
  });

  it('are all dropped when the log was restored from a backup: it may have lost revocations', async () => {
    const record = sampleToken();
    const restored = unreliable(log());
    const tokens = createEventLogTokenStore({ log: restored });
    await tokens.save(record);
    expect(await tokens.find(record.hash, nowMs)).toEqual(record);
    restored.faults.incarnation = 'another';
    expect(await find(record.hash, restored)).toBeUndefined();
    await pause(outdatedMs);
    expect(await tokens.find(record.hash, nowMs)).toBeUndefined();
    const later = sampleToken();
    await tokens.save(later);
    expect(await tokens.find(later.hash, nowMs)).toEqual(later);
  });

  it('are not found if their stream does not begin with their issue or was erased', async () => {
    const record = sampleToken();
    await createEventLogTokenStore({ log: log() }).save(record);
    const [first] = await log().read(`token-${record.hash}`, 0);
    if (!first) throw new Error('The token was not saved.');
    const strange = [
      { ...first, content: null, salt: null },
      { ...first, envelope: { ...first.envelope, type: 'TokenRevoked' } },
    ];
    for (const event of strange) expect(await find(record.hash, { ...log(), read: async () => [event] })).toBeUndefined();
  });

  it('are not looked up by a text that is not a hash: it would be the name of another stream', async () => {
    const watched = unreliable(log());
    for (const text of ['', '$all', 'x', `${'a'.repeat(42)}\0`, 'a'.repeat(44), `../${'a'.repeat(40)}`]) {
      expect(await find(text, watched)).toBeUndefined();
      await createEventLogTokenStore({ log: watched }).revoke(text);
    }
    expect(watched.requested).toEqual({ last: [], read: [] });
  });
});
