import { setTimeout as pause } from 'node:timers/promises';
import { BrokerUnavailable } from '@waymark/broker/broker.ts';
import { watchForStall } from '@waymark/cluster-runtime/stall-watch.ts';
import { createRelay, type Relay } from './relay.ts';
import { fakeLog } from './testing/fake-log.ts';
import { fakeRecords } from './testing/fake-records.ts';
import { newLease } from './testing/lease.ts';
import { quick, silent, until } from './testing/relaying.ts';

const partitions = 3;
const limitMs = 1_000;
const engines = [{ failure: () => undefined }];

describe('a relay whose engines respond', () => {
  let closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing) await close();
    closing = [];
  });
  const start = ({ log = fakeLog(partitions), records = fakeRecords(partitions), isActive = true } = {}) => {
    const relay: Relay = createRelay({ log, records, lease: newLease(isActive), partitions, logger: silent, paces: quick });
    const ended: string[] = [];
    const stop = watchForStall({ engines, works: relay.works, fatal: ({ message }) => ended.push(message), limitMs, checkEveryMs: 50 });
    closing.push(stop, relay.close);
    return { relay, log, records, ended };
  };

  it('continues while it is active and idle: it sends watermarks', async () => {
    const { ended } = start();
    await pause(3 * limitMs);
    expect(ended).toEqual([]);
  });

  it('ends if nothing that it sends is acknowledged', async () => {
    const records = fakeRecords(partitions);
    const { ended } = start({ records: { ...records, send: () => Promise.reject(new BrokerUnavailable('Kafka refuses it.')) } });
    await until(() => ended.length > 0);
    expect(ended).toEqual(['No progress for 1 s although all engines respond: sending records.']);
  });

  it('continues while it stands by', async () => {
    const other = start();
    const { relay, ended } = start({ records: other.records, isActive: false });
    await pause(3 * limitMs);
    expect([relay.stats().active, ended]).toEqual([false, []]);
  });

  it('continues while only an operator can help: the log was rolled back', async () => {
    const { relay, log, ended } = start();
    await until(() => relay.stats().sessions === 1);
    for (let nth = 0; nth < 10; nth += 1) log.append(`account-${nth}`);
    await until(() => relay.stats().reached === 10);
    log.cut(5);
    await until(() => relay.notReady().length > 0);
    await pause(3 * limitMs);
    expect(ended).toEqual([]);
  });
});
