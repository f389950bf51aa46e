import { operationsStream } from '@waymark/domain/streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { logOfItsOwn } from '@waymark/event-log/testing/temporary-logs.ts';
import { createLeasedOperations, type LeasedOperationsOptions, leaseMs } from './operation-lease.ts';

describe('the long operations of a cluster', () => {
  let log: Awaited<ReturnType<typeof logOfItsOwn>>;
  let warnings: string[];
  beforeEach(async () => {
    log = await logOfItsOwn();
    warnings = [];
  });
  afterEach(() => log.close());

  const operator = (options: Partial<LeasedOperationsOptions> = {}) =>
    createLeasedOperations({
      log,
      database: 'waymark',
      rolledBack: async () => undefined,
      stopped: new AbortController().signal,
      logger: { warn: (_fields: object, text = '') => warnings.push(text) },
      ...options,
    });
  /** The log as it looks once the last note is older than a lease. */
  const later = (): EventLog => ({
    ...log,
    read: async (...of) =>
      (await log.read(...of)).map((event) => ({
        ...event,
        envelope: { ...event.envelope, time: new Date(Date.now() - leaseMs).toISOString() },
      })),
  });
  const notes = async () => (await log.read(operationsStream('waymark'), 0)).map(({ content }) => JSON.parse(content ?? '').progress);
  /** Begins an operation whose process then ends without a word. */
  const interrupt = async (operation: string, on = operator()): Promise<void> => {
    const begun = Promise.withResolvers<void>();
    void on.run(operation, () => {
      begun.resolve();
      return new Promise(() => undefined);
    });
    await begun.promise;
  };

  it('are noted before they begin and after they have ended', async () => {
    const { run, interrupted } = operator();
    const seen = await run('rebuild', async () => [await notes(), await interrupted()]);
    expect(seen).toEqual([[{ operation: 'rebuild', interrupted: [] }], []]);
    expect(await notes()).toEqual([
      { operation: 'rebuild', interrupted: [] },
      { operation: null, interrupted: [] },
    ]);
    expect(await interrupted()).toEqual([]);
  });

  it('exclude each other, also in another process', async () => {
    const [one, other] = [operator(), operator()];
    const running = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const done = one.run('rebuild', () => {
      begun.resolve();
      return running.promise;
    });
    await begun.promise;
    for (const { run } of [one, other]) await expect(run('verify', async () => 'never')).rejects.toMatchObject({ status: 409 });
    running.resolve('rebuilt');
    expect(await done).toBe('rebuilt');
    expect(await other.run('verify', async () => 'verified')).toBe('verified');
  });

  it('are reported as interrupted if their process has ended, until they have been run again', async () => {
    await interrupt('rebuild');
    expect(await operator().interrupted()).toEqual([]);
    await expect(operator().run('verify', async () => 'too early')).rejects.toMatchObject({ status: 409 });
    const next = operator({ log: later() });
    const sentence = 'The operation was interrupted, run it again: rebuild.';
    expect(await next.interrupted()).toEqual([sentence]);
    await next.run('verify', async () => 'verified');
    expect(await next.interrupted()).toEqual([sentence]);
    await expect(next.run('rebuild', () => Promise.reject(new Error('Not now.')))).rejects.toThrow('Not now.');
    expect(await next.interrupted()).toEqual([sentence]);
    await next.run('rebuild', async () => 'rebuilt');
    expect(await next.interrupted()).toEqual([]);
  });

  it('are reported each by itself', async () => {
    await interrupt('forget pinpoint 12');
    await interrupt('rebuild', operator({ log: later() }));
    const next = operator({ log: later() });
    expect((await next.interrupted()).map((sentence) => sentence.split(': ')[1])).toEqual(['forget pinpoint 12.', 'rebuild.']);
    await next.run('forget pinpoint 13', async () => undefined);
    await next.run('rebuild', async () => undefined);
    expect((await next.interrupted()).map((sentence) => sentence.split(': ')[1])).toEqual(['forget pinpoint 12.']);
  });

  it('are reported at once if their process was asked to stop', async () => {
    const stopping = new AbortController();
    const one = operator({ stopped: stopping.signal });
    const run = one.run('rebuild', async () => {
      stopping.abort();
      throw new Error('The rebuild continues.');
    });
    await expect(run).rejects.toThrow('continues');
    const next = operator();
    expect(await next.interrupted()).toHaveLength(1);
    await next.run('rebuild', async () => undefined);
    expect(await next.interrupted()).toEqual([]);
  });

  it('that fail are not interrupted: their caller knows', async () => {
    const { run, interrupted } = operator();
    await expect(run('verify', () => Promise.reject(new Error('No.')))).rejects.toThrow('No.');
    expect(await interrupted()).toEqual([]);
  });

  it('return their result also if their end cannot be noted', async () => {
    let isAvailable = true;
    const append: EventLog['append'] = (...order) => (isAvailable ? log.append(...order) : Promise.reject(new Error('away')));
    const { run } = operator({ log: { ...log, append } });
    const result = await run('verify', async () => {
      isAvailable = false;
      return 'verified';
    });
    expect([result, warnings]).toEqual(['verified', [expect.stringContaining('count as interrupted')]]);
  });

  it('append nothing to a log that was rolled back', async () => {
    const { head } = await log.state();
    const { run } = operator({ rolledBack: async () => 'The event log was rolled back.' });
    expect(await run('verify', async () => 'verified')).toBe('verified');
    expect((await log.state()).head).toBe(head);
  });
});
