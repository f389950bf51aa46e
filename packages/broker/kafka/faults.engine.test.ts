import net, { type NetConnectOpts } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createFaultProxy, type FaultProxy } from '@waymark/test-engines/fault-proxy.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { BrokerUnavailable, type PartitionRecord } from '../broker.ts';
import { openTopics, startConsumption, until } from '../testing/kafka.ts';
import { someRecords } from '../testing/some-records.ts';
import { requestMs } from './limits.ts';

describeOn(['kafka'], 'records on a Kafka broker that is temporarily unavailable', () => {
  const topics = openTopics();
  let passage: FaultProxy;

  /** Clients connect to the addresses that brokers advertise. Connections are therefore redirected where they are opened. */
  beforeEach(async () => {
    const [host = '', port = ''] = (urlOf('kafka').split(',')[0] ?? '').split(':');
    passage = await createFaultProxy({ host, port: Number(port) });
    const connect = net.connect;
    jest.spyOn(net, 'connect').mockImplementation(((options: NetConnectOpts, listener?: () => void) =>
      // The proxy itself passes no listener; its connections are not redirected.
      connect(listener === undefined ? options : { ...options, host: '127.0.0.1', port: passage.port }, listener)) as typeof connect);
  });
  afterEach(async () => {
    await passage.heal();
    await topics.closed();
    jest.restoreAllMocks();
    await passage.close();
  });

  const all = async (records: ReturnType<typeof topics.open>, last: number): Promise<number[]> => {
    const consumed = startConsumption(records);
    await until(() => consumed.positions(5).includes(last));
    await consumed.stop();
    return consumed.positions(5);
  };

  it('keep everything that was acknowledged, in order, whichever responses to concurrent sends were lost', async () => {
    const records = await topics.made();
    const acknowledged: number[] = [];
    const send = async (batch: readonly PartitionRecord[]): Promise<void> => {
      await records.send(batch);
      acknowledged.push(...batch.map(({ position }) => position));
    };
    for (let round = 0; round < 5; round += 1) {
      const batches = Array.from({ length: 9 }, (_, index) => someRecords(5, 3, 27 * round + 3 * index));
      passage.loseAnswers();
      const first = Promise.allSettled(batches.slice(0, 3).map(send));
      await pause(150);
      await passage.heal();
      await first;
      await Promise.allSettled(batches.slice(3).map(send));
    }
    await send(someRecords(5, 1, 1_000));
    const found = await all(records, 1_001);
    expect(found).toEqual(expect.arrayContaining(acknowledged));
    // Records may be written twice. Each acknowledged record still comes after the one acknowledged before it.
    let at = -1;
    for (const position of acknowledged) {
      at = found.indexOf(position, at + 1);
      expect(at).toBeGreaterThanOrEqual(0);
    }
    expect(acknowledged.length).toBeGreaterThan(50);
  });

  it('cannot be sent while the broker is unavailable, and can be sent as soon as it is back', async () => {
    const records = await topics.made();
    await records.send(someRecords(5, 1));
    await passage.cut();
    await expect(records.send(someRecords(5, 1, 1))).rejects.toThrow(BrokerUnavailable);
    await expect(records.last()).rejects.toThrow(BrokerUnavailable);
    await passage.heal();
    await records.send(someRecords(5, 1, 2));
    expect((await records.last())[5]?.position).toBe(3);
  });

  it('cannot be sent to a frozen broker; a late write is only a repetition', async () => {
    const records = await topics.made();
    await records.send(someRecords(5, 1));
    passage.freeze();
    await expect(records.send(someRecords(5, 1, 1))).rejects.toThrow(BrokerUnavailable);
    await passage.heal();
    await records.send(someRecords(5, 2, 1));
    await pause(requestMs / 4);
    const found = await all(records, 3);
    expect(new Set(found)).toEqual(new Set([1, 2, 3]));
  });

  it('are consumed again when the broker is back, at the latest by a new consumption', async () => {
    const records = await topics.made();
    const group = ownName('group');
    await records.send(someRecords(5, 1));
    const seen = new Set<number>();
    const abort = new AbortController();
    let failures = 0;
    const follow = async (): Promise<void> => {
      while (!abort.signal.aborted) {
        const consumption = {
          group,
          signal: abort.signal,
          handle: async (_: number, batch: readonly PartitionRecord[]) => {
            for (const { position } of batch) seen.add(position);
          },
        };
        await records.consume(consumption).catch((error: unknown) => {
          expect(error).toBeInstanceOf(BrokerUnavailable);
          failures += 1;
        });
        await pause(100);
      }
    };
    const following = follow();
    await until(() => seen.has(1));
    await passage.cut();
    await until(() => failures > 0);
    await passage.heal();
    await until(async () => (await records.send(someRecords(5, 1, 1)).catch((error: unknown) => error)) === undefined);
    await until(() => seen.has(2), 30_000);
    abort.abort();
    await following;
  });

  it('are not awaited for ever: a consumption rejects while its broker is frozen', async () => {
    const records = await topics.made();
    await records.send(someRecords(5, 1));
    const consumed = startConsumption(records);
    await until(() => consumed.records.length === 1);
    passage.freeze();
    await expect(consumed.ended).rejects.toThrow(BrokerUnavailable);
  });
});
