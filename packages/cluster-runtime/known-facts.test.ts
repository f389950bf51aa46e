import { someInstallation, someSigner } from '@waymark/broker/testing/some-records.ts';
import { sealFacts } from '@waymark/event-log/facts/store.ts';
import { knowableLog, memoryFacts } from '@waymark/event-log/testing/memory-facts.ts';
import { createFactsReader, type FactsReader } from './known-facts.ts';

const never = 1_000_000;
const quick = { everyMs: 5, firstEveryMs: 5, relayMs: never, redisMs: never };

describe('the known facts of the log in a process', () => {
  const readers: FactsReader[] = [];
  afterEach(() => {
    for (const { close } of readers.splice(0)) close();
  });
  const newSetup = () => {
    const [log, redis, mongodb] = [knowableLog(), memoryFacts(), memoryFacts()];
    const start = (paces: Partial<typeof quick> = {}): FactsReader => {
      const options = { redis: redis.store, mongodb: mongodb.store, log: log.known, signer: someSigner, installation: someInstallation };
      const reader = createFactsReader({ ...options, paces: { ...quick, ...paces } });
      readers.push(reader);
      return reader;
    };
    const sealed = async () => sealFacts(someSigner, someInstallation, await log.known.facts());
    return { log, redis, mongodb, start, sealed, verdict: async (reader: FactsReader) => reader.snapshot()(await log.state()) };
  };
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it('suffice for writes once Redis has facts, which the relay writes there', async () => {
    const { redis, mongodb, start, sealed, verdict } = newSetup();
    mongodb.put(await sealed());
    const reader = start();
    expect(await verdict(reader)).toBe('unread');
    await reader.all();
    expect(await verdict(reader)).toBe('unread');
    redis.put(await sealed());
    await until(async () => (await verdict(reader)) === 'fits');
    redis.put(undefined);
    await reader.all();
    expect(await verdict(reader)).toBe('fits');
  });

  it('suffice after a time limit if no relay writes to Redis, or if Redis is unavailable', async () => {
    const { redis, start, verdict } = newSetup();
    const waiting = start({ relayMs: 0 });
    await until(async () => (await verdict(waiting)) === 'fits');
    redis.unavailable(true);
    const [without, patient] = [start({ redisMs: 0 }), start({ relayMs: 0 })];
    await until(async () => (await verdict(without)) === 'fits');
    await patient.all();
    expect(await verdict(patient)).toBe('unread');
  });

  it('are awaited until they suffice or the process stops', async () => {
    const { log, redis, start, sealed, verdict } = newSetup();
    const [stopping, reader] = [new AbortController(), start()];
    const ended: string[] = [];
    const told = reader.waitUntilComparable(log, new AbortController().signal).then(() => ended.push('told'));
    const stopped = reader.waitUntilComparable(log, stopping.signal).then(() => ended.push('stopped'));
    await reader.all();
    expect(ended).toEqual([]);
    stopping.abort();
    await stopped;
    expect([ended, await verdict(reader)]).toEqual([['stopped'], 'unread']);
    redis.put(await sealed());
    await told;
    expect(await verdict(reader)).toBe('fits');
  });

  it('are no longer awaited once one store shows that the log was rolled back', async () => {
    const { log, mongodb, start, sealed, verdict } = newSetup();
    mongodb.put(await sealed());
    log.rollBack(4);
    const reader = start();
    await reader.waitUntilComparable(log, new AbortController().signal);
    expect(await verdict(reader)).toBe('rolled back');
  });

  it('do not suffice before each store has responded or failed', async () => {
    const { log, redis, mongodb, sealed } = newSetup();
    redis.put(await sealed());
    const answer = Promise.withResolvers<string | undefined>();
    const slow = { ...mongodb.store, read: () => answer.promise };
    const options = { redis: redis.store, mongodb: slow, log: log.known, signer: someSigner, installation: someInstallation };
    const reader = createFactsReader({ ...options, paces: { ...quick, relayMs: -1, redisMs: -1 } });
    readers.push(reader);
    const verdict = async () => reader.snapshot()(await log.state());
    await new Promise(setImmediate);
    expect(await verdict()).toBe('unread');
    answer.resolve(undefined);
    await until(async () => (await verdict()) === 'fits');
  });

  it.each(['redis', 'mongodb'] as const)('show a rolled-back log if only %s survives', async (survivor) => {
    const clusterContext = newSetup();
    const { log, start, sealed, verdict } = clusterContext;
    clusterContext[survivor].put(await sealed());
    log.rollBack(4);
    const reader = start({ relayMs: 0 });
    await until(async () => (await verdict(reader)) === 'rolled back');
    // The facts stay known even if the last store is wiped too, or if facts of the older copy replace them.
    clusterContext[survivor].put(await sealed());
    await reader.all();
    expect(await verdict(reader)).toBe('rolled back');
    clusterContext[survivor].put(undefined);
    await reader.all();
    expect(await verdict(reader)).toBe('rolled back');
  });

  it('do not count for a renewed log, even if the old facts are written again', async () => {
    const { log, redis, start, sealed, verdict } = newSetup();
    const old = await sealed();
    redis.put(old);
    const reader = start({ relayMs: 0 });
    log.rollBack(4);
    await until(async () => (await verdict(reader)) === 'rolled back');
    log.renew('B');
    expect(await verdict(reader)).toBe('fits');
    redis.put(old);
    await reader.all();
    expect(await verdict(reader)).toBe('fits');
    expect(await verdict(start({ relayMs: 0 }))).toBe('unread');
  });

  it('do not include facts that another party has written', async () => {
    const { log, redis, mongodb, start, verdict } = newSetup();
    const facts = { ...(await log.known.facts()), head: 900 };
    redis.put(`${'A'.repeat(32)}${JSON.stringify(facts)}`);
    mongodb.put(sealFacts(someSigner, '00000000-0000-4000-8000-000000000002', facts));
    const reader = start({ relayMs: 0 });
    await until(async () => (await verdict(reader)) === 'fits');
    expect(await reader.all()).toEqual([]);
  });
});
