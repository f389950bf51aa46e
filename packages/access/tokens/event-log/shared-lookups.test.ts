import { setImmediate as turn } from 'node:timers/promises';
import { LogUnavailable } from '@waymark/event-log/event-log.ts';
import { logOfItsOwn } from '@waymark/event-log/testing/temporary-logs.ts';
import { sampleToken } from '../../testing/sample-token.ts';
import { unreliable } from '../../testing/unreliable.ts';
import { lookupStreamsMax } from '../limits.ts';
import { createSharedLookups } from './shared-lookups.ts';
import { createEventLogTokenStore } from './token-store.ts';

describe('the last revision of a token', () => {
  let log: Awaited<ReturnType<typeof logOfItsOwn>>;
  beforeAll(async () => {
    log = await logOfItsOwn();
  });
  afterAll(() => log.close());
  const begin = () => {
    const watched = unreliable(log);
    return { revisionOf: createSharedLookups(watched), watched, tokens: createEventLogTokenStore({ log }) };
  };
  const issued = async (): Promise<string> => {
    const record = sampleToken();
    await createEventLogTokenStore({ log }).save(record);
    return record.hash;
  };

  it('is returned to each caller from one query for the same turn of the event loop', async () => {
    const { revisionOf, watched, tokens } = begin();
    const [live, revoked, unknown] = [await issued(), await issued(), sampleToken().hash];
    await tokens.revoke(revoked);
    expect(await Promise.all([live, revoked, unknown, live].map(revisionOf))).toEqual([0, 1, 'none', 0]);
    expect(watched.requested.last).toEqual([[live, revoked, unknown].map((hash) => `token-${hash}`)]);
  });

  it('is not taken from a query of an earlier turn: a later revocation counts', async () => {
    const { revisionOf, watched, tokens } = begin();
    const hash = await issued();
    const last = watched.lastRevisions;
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let looks = 0;
    const slow = createSharedLookups({
      ...watched,
      lastRevisions: async (streams) => {
        looks += 1;
        const revisions = await last(streams);
        if (looks === 1) await held;
        return revisions;
      },
    });
    const before = slow(hash);
    while (looks === 0) await turn();
    await tokens.revoke(hash);
    expect(await slow(hash)).toBe(1);
    answer();
    expect(await before).toBe(0);
    expect(await revisionOf(hash)).toBe(1);
  });

  it('is queried with a bounded number of others at once, and none is lost', async () => {
    const { revisionOf, watched } = begin();
    const hashes = [...Array.from({ length: lookupStreamsMax }, () => sampleToken().hash), await issued()];
    const revisions = await Promise.all(hashes.map(revisionOf));
    expect([revisions.at(-1), revisions.filter((one) => one === 'none').length]).toEqual([0, lookupStreamsMax]);
    expect(watched.requested.last.map(({ length }) => length)).toEqual([lookupStreamsMax, 1]);
  });

  it('is queried again after the log was unavailable', async () => {
    const { revisionOf, watched } = begin();
    const hash = await issued();
    watched.faults.unavailable = true;
    for (const outcome of await Promise.allSettled([revisionOf(hash), revisionOf(hash)]))
      expect(outcome).toMatchObject({ reason: expect.any(LogUnavailable) });
    watched.faults.unavailable = false;
    expect(await revisionOf(hash)).toBe(0);
  });
});
