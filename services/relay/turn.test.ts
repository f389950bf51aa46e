import { setTimeout as pause } from 'node:timers/promises';
import type { Tail } from '@waymark/broker/broker.ts';
import { createRelay, type Relay } from './relay.ts';
import { fakeLog } from './testing/fake-log.ts';
import { fakeRecords } from './testing/fake-records.ts';
import { newLease } from './testing/lease.ts';
import { quick, silent, until } from './testing/relaying.ts';

const partitions = 3;

describe('a relay without the lease', () => {
  let log = fakeLog(partitions);
  let records = fakeRecords(partitions);
  const relays: Relay[] = [];
  beforeEach(() => {
    log = fakeLog(partitions);
    records = fakeRecords(partitions);
  });
  afterEach(async () => {
    await Promise.all(relays.splice(0).map(({ close }) => close()));
  });
  /** Simulates the topic's end: with new records, or without. */
  const topicOf = (grows: boolean) => {
    let isNew = grows;
    let lookups = 0;
    return {
      tail: async (): Promise<Tail> => {
        lookups += 1;
        return { ends: new Map(), isNew };
      },
      lookups: () => lookups,
      begin: () => {
        isNew = true;
      },
      end: () => {
        isNew = false;
      },
    };
  };
  const start = (held: boolean, paces: Partial<typeof quick> = {}, { tail }: Pick<typeof records, 'tail'> = records) => {
    const lease = newLease(held);
    const running = createRelay({ log, records: { ...records, tail }, lease, partitions, logger: silent, paces: { ...quick, ...paces } });
    relays.push(running);
    return { running, lease };
  };
  const relayed = () => records.partitions.flat().filter(({ event }) => event !== null).length;

  it('becomes active when the topic has had no new record for a time, whatever the lease says, and stays active', async () => {
    await records.ensure();
    const { running } = start(false, { silentMs: 50 });
    await until(() => running.stats().sessions === 1);
    log.append('account-1');
    await until(() => relayed() === 1);
    expect(running.stats()).toMatchObject({ active: true, reason: undefined });
  });

  it('stands by as long as records come, and takes over when they end', async () => {
    await records.ensure();
    const topic = topicOf(true);
    const { running } = start(false, { silentMs: 50 }, topic);
    await until(() => topic.lookups() >= 50);
    expect(running.stats()).toMatchObject({ active: false, sessions: 0 });
    topic.end();
    await until(() => running.stats().active);
  });

  it('becomes active at once when it gets the lease, before that time', async () => {
    await records.ensure();
    const { running, lease } = start(false);
    await until(() => running.stats().active === false);
    lease.set(true);
    await until(() => running.stats().sessions === 1);
  });

  it('checks again after a while, and leaves the topic to another active relay', async () => {
    await records.ensure();
    const topic = topicOf(false);
    const { running } = start(false, { silentMs: 50, silentAgainMs: 50, takeoverMs: 500 }, topic);
    await until(() => running.stats().sessions === 1);
    topic.begin();
    await until(() => !running.stats().active);
    const lookups = topic.lookups();
    await until(() => topic.lookups() >= lookups + 50);
    expect(running.stats()).toMatchObject({ active: false, sessions: 1 });
  });

  it('reads the end of the topic no more often than necessary', async () => {
    await records.ensure();
    const topic = topicOf(false);
    const { running } = start(false, { tailEveryMs: 3_600_000 }, topic);
    await until(() => topic.lookups() > 0);
    await pause(100);
    expect(topic.lookups()).toBe(1);
    expect(running.stats()).toMatchObject({ active: false, sessions: 0 });
  });

  it('does not count the time before its first check of the topic', async () => {
    const day = 24 * 60 * 60 * 1_000;
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 2 * day);
    try {
      await records.ensure();
      const topic = topicOf(false);
      const { running } = start(false, { silentMs: day }, topic);
      await until(() => topic.lookups() >= 10);
      expect(running.stats()).toMatchObject({ active: false, sessions: 0 });
    } finally {
      clock.mockRestore();
    }
  });

  it('checks for the whole time before it continues', async () => {
    await records.ensure();
    const topic = topicOf(false);
    const { running } = start(false, { silentMs: 50, takeoverMs: 50 }, topic);
    await until(() => running.stats().sessions === 1);
    await until(() => !running.stats().active);
    const lookups = topic.lookups();
    await until(() => topic.lookups() >= lookups + 50);
    expect(running.stats()).toMatchObject({ active: false, sessions: 1 });
  });

  it('continues after its check if there is no other relay', async () => {
    await records.ensure();
    const taking = start(false, { silentMs: 50, silentAgainMs: 20, takeoverMs: 50 });
    await until(() => taking.running.stats().sessions >= 3);
    log.append('account-1');
    await until(() => relayed() >= 1);
  });

  it('does not take over while it cannot read the topic or the log', async () => {
    const { running } = start(false, { silentMs: 50 });
    await pause(500);
    expect(running.stats().active).toBe(false);
    log.fail(1_000_000);
    await records.ensure();
    await pause(500);
    expect(running.stats().active).toBe(false);
    log.fail(0);
    await until(() => running.stats().active);
  });
});
