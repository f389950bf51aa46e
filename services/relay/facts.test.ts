import { someInstallation, someSigner } from '@waymark/broker/testing/some-records.ts';
import { createFactsKeeper } from '@waymark/event-log/facts/keeper.ts';
import { openFacts } from '@waymark/event-log/facts/store.ts';
import { memoryFacts } from '@waymark/event-log/testing/memory-facts.ts';
import { createRelay, type Relay } from './relay.ts';
import { fakeLog } from './testing/fake-log.ts';
import { fakeRecords } from './testing/fake-records.ts';
import { newLease } from './testing/lease.ts';
import { quick, silent, until } from './testing/relaying.ts';

const partitions = 3;

describe('the relay with the known facts of the log', () => {
  const relays: Relay[] = [];
  afterEach(async () => {
    await Promise.all(relays.splice(0).map(({ close }) => close()));
  });
  const newSetup = () => {
    const [log, records, redis] = [fakeLog(partitions), fakeRecords(partitions), memoryFacts()];
    const start = (): Relay => {
      const facts = createFactsKeeper({ store: redis.store, name: 'Redis', log: log.known, signer: someSigner });
      const one = createRelay({ log, records, facts, lease: newLease(true), partitions, logger: silent, paces: quick });
      relays.push(one);
      return one;
    };
    const inRedis = () => openFacts(someSigner, someInstallation, redis.text());
    const inKafka = async () => (await records.last(someInstallation)).facts;
    const append = (count: number): void => {
      for (let index = 0; index < count; index += 1) log.append(`account-${index}`);
    };
    /** Appends events, starts a relay, and waits until the facts of these events are stored. */
    const settled = async () => {
      append(10);
      const one = start();
      await until(async () => inRedis()?.head === 10 && (await inKafka())[0]?.head === 10);
      return one;
    };
    return { log, records, redis, start, inRedis, inKafka, append, settled };
  };
  const says = (one: Relay) => one.notReady().join();

  it('keeps Redis and the topic up to date', async () => {
    const { log, inRedis, inKafka, append, settled } = newSetup();
    await settled();
    append(2);
    await until(async () => inRedis()?.head === 12 && (await inKafka())[0]?.head === 12);
    expect([inRedis(), (await inKafka())[0]]).toEqual([await log.known.facts(), await log.known.facts()]);
  });

  it('writes facts to Redis that only the topic has of a log that was rolled back, and relays nothing of it', async () => {
    const { log, records, redis, start, inRedis, settled } = newSetup();
    await (await settled()).close();
    const before = inRedis();
    // No record has a position beyond the log: only the facts do.
    for (const partition of records.partitions) for (const record of partition) Object.assign(record, { position: 0, previous: 0 });
    redis.put(undefined);
    log.cut(4);
    const sent = records.partitions.flat().length;
    const one = start();
    await until(() => says(one).includes('rolled back'));
    expect([inRedis(), records.partitions.flat().length]).toEqual([before, sent]);
    log.renew();
    await until(() => one.notReady().length === 0);
    await until(() => inRedis()?.incarnation === "log-1'");
  });

  it.each<readonly [string, (setup: ReturnType<typeof newSetup>) => void]>([
    ['ends before them', ({ log }) => log.cut(4)],
    ['was renewed, but no longer has that name', ({ log }) => log.forgetName()],
  ])('stops where Redis has later facts than the log, which %s', async (_, rollBack) => {
    const setup = newSetup();
    const { records, redis, start, settled } = setup;
    await (await settled()).close();
    records.wipe();
    const known = redis.text();
    rollBack(setup);
    const one = start();
    await until(() => says(one).includes('rolled back'));
    expect([redis.text(), records.partitions.flat()]).toEqual([known, []]);
  });

  it('notices a rollback while it runs', async () => {
    const { log, inRedis, settled } = newSetup();
    const one = await settled();
    const before = inRedis();
    log.cut(4);
    await until(() => one.notReady().length > 0);
    expect(inRedis()).toEqual(before);
  });

  it('ignores old facts that are written again after a renewal', async () => {
    const { log, redis, inRedis, settled } = newSetup();
    const one = await settled();
    const old = redis.text();
    log.cut(4);
    await until(() => one.notReady().length > 0);
    log.renew();
    await until(() => inRedis()?.incarnation === "log-1'");
    const { failures } = one.stats();
    redis.put(old);
    await until(() => inRedis()?.incarnation === "log-1'");
    expect([one.notReady(), one.stats().failures]).toEqual([[], failures]);
  });
});
