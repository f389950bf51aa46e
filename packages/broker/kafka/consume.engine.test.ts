import { setTimeout as pause } from 'node:timers/promises';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { BrokerUnavailable } from '../broker.ts';
import { openTopics, startConsumption, until, withAdmin, withProducer } from '../testing/kafka.ts';
import { someRecords } from '../testing/some-records.ts';
import { stopMs } from './limits.ts';

const all = Array.from({ length: 12 }, (_, partition) => partition);
const numbers = (count: number, after = 0): number[] => Array.from({ length: count }, (_, index) => after + index + 1);

describeOn(['kafka'], 'consuming from Kafka', () => {
  const topics = openTopics();
  afterEach(() => topics.closed());
  it('delivers existing and new records, and reports the assigned partitions', async () => {
    const records = await topics.made();
    await records.send(someRecords(1, 3));
    const consumed = startConsumption(records);
    await until(() => consumed.records.length === 3);
    await records.send(someRecords(1, 3, 3));
    await until(() => consumed.records.length === 6);
    await consumed.stop();
    expect(consumed.positions(1)).toEqual(numbers(6));
    expect([...(consumed.assigned() ?? [])].sort((one, other) => one - other)).toEqual(all);
  });

  it('handles several partitions at the same time, with one batch of each at a time', async () => {
    const records = await topics.made();
    await records.send(all.flatMap((partition) => someRecords(partition, 2)));
    const busy = new Set<number>();
    let most = 0;
    const consumed = startConsumption(records, {
      handle: async (partition) => {
        expect(busy.has(partition)).toBe(false);
        busy.add(partition);
        most = Math.max(most, busy.size);
        await until(() => most === 12);
        busy.delete(partition);
      },
    });
    await until(() => consumed.records.length === 24);
    await consumed.stop();
    expect(most).toBe(12);
  });

  it('delivers a batch again if its handler failed or the consumption ended, and skips nothing', async () => {
    const records = await topics.made();
    const group = ownName('group');
    const sent = someRecords(3, 10);
    await records.send(sent);
    const failed = startConsumption(records, { group, handle: () => Promise.reject(new Error('no room')) });
    await expect(failed.ended).rejects.toThrow('no room');

    const abort = new AbortController();
    const seen: number[] = [];
    await records.consume({
      group,
      signal: abort.signal,
      handle: async (_, batch) => {
        seen.push(...batch.map(({ position }) => position));
        abort.abort();
        await pause(50);
        throw new Error('An error after the end is not reported.');
      },
    });
    expect(seen[0]).toBe(1);

    const consumed = startConsumption(records, { group });
    await until(() => consumed.records.length === 10);
    await consumed.stop();
    expect(consumed.positions(3)).toEqual(numbers(10));
  });

  it('does not call the handler again after it failed', async () => {
    const records = await topics.made();
    await records.send(someRecords(3, 1));
    let calls = 0;
    const failed = startConsumption(records, {
      handle: async () => {
        calls += 1;
        throw new Error('no room');
      },
    });
    await expect(failed.ended).rejects.toThrow('no room');
    await pause(1_000);
    expect(calls).toBe(1);
  });

  it('leaves out records without a signature, and counts them', async () => {
    const records = await topics.made();
    await records.send(someRecords(3, 1));
    const values = ['not ours', null, '{}', JSON.stringify({ ...someRecords(3, 1)[0], partition: 4 })];
    await withProducer((producer) =>
      producer.send({ topic: records.topic, messages: values.map((value) => ({ partition: 3, key: 'key', value })) }),
    );
    const consumed = startConsumption(records);
    await until(() => records.counts().unsigned === values.length);
    await records.send(someRecords(3, 1, 9));
    await until(() => consumed.positions(3).includes(10));
    await consumed.stop();
    expect(consumed.positions(3)).toEqual([1, 10]);
    expect(records.counts()).toMatchObject({ received: 2, unsigned: 4, forged: 0, malformed: 0 });
  });

  it('shares the partitions within its group, and takes over those of a consumer that leaves', async () => {
    const records = await topics.made();
    const group = ownName('group');
    const [one, other] = [startConsumption(records, { group }), startConsumption(records, { group })];
    await until(() => one.assigned()?.length === 6 && other.assigned()?.length === 6);
    await records.send(all.flatMap((partition) => someRecords(partition, 1)));
    await until(() => one.records.length + other.records.length >= 12);
    await one.stop();
    await until(() => other.assigned()?.length === 12);
    await records.send(all.flatMap((partition) => someRecords(partition, 1, 1)));
    await until(() => all.every((partition) => other.positions(partition).includes(2)));
    await other.stop();
  });

  it('gives a slow handler time during a rebalance, and every record is handled by one of the consumers', async () => {
    const records = await topics.made();
    const group = ownName('group');
    await records.send(all.flatMap((partition) => someRecords(partition, 5)));
    let slow = true;
    const one = startConsumption(records, {
      group,
      handle: async () => {
        while (slow) await pause(20);
      },
    });
    await until(() => one.assigned()?.length === 12);
    const other = startConsumption(records, { group });
    await pause(3_000);
    slow = false;
    const handled = (partition: number) => new Set([...one.positions(partition), ...other.positions(partition)]).size;
    await until(() => all.every((partition) => handled(partition) === 5) && (other.assigned()?.length ?? 0) > 0);
    await Promise.all([one.stop(), other.stop()]);
  });

  it('ends although a handler hangs', async () => {
    const records = await topics.made();
    await records.send(someRecords(3, 1));
    let reached = false;
    const abort = new AbortController();
    const hanging = Promise.withResolvers<void>();
    const ended = records.consume({
      group: ownName('group'),
      signal: abort.signal,
      handle: () => {
        reached = true;
        return hanging.promise;
      },
    });
    await until(() => reached);
    const begun = performance.now();
    abort.abort();
    await ended;
    expect(performance.now() - begun).toBeGreaterThanOrEqual(stopMs - 100);
    hanging.resolve();
  });

  it('ends when it is aborted before or during its start', async () => {
    const records = await topics.made();
    await records.consume({ group: ownName('group'), handle: async () => {}, signal: AbortSignal.abort() });
    for (const ms of [0, 5, 20, 60]) {
      const group = ownName('group');
      await records.consume({ group, handle: async () => {}, signal: AbortSignal.timeout(ms) });
      await until(async () => {
        const { groups } = await withAdmin((admin) => admin.describeGroups([group]));
        return groups.every(({ members }) => members.length === 0);
      });
    }
  });

  it('rejects where the broker or the topic does not exist', async () => {
    const unavailable = topics.open({ brokers: ['127.0.0.1:1'] });
    await expect(startConsumption(unavailable).ended).rejects.toThrow(BrokerUnavailable);
    await expect(startConsumption(topics.open()).ended).rejects.toThrow(BrokerUnavailable);
  });
});
