import { setTimeout as pause } from 'node:timers/promises';
import { control } from '@waymark/test-engines/control.ts';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import type { PartitionRecord } from '../broker.ts';
import { type Opened, openTopics, until } from '../testing/kafka.ts';
import { someRecords } from '../testing/some-records.ts';
import { sessionMs } from './limits.ts';

describeOn(['kafka', 'control'], 'records on a Kafka broker that is killed, paused and wiped', () => {
  const topics = openTopics();
  afterEach(async () => {
    await control('start', 'kafka');
    await topics.closed();
  });

  /** Consumes until it is stopped; a consumer that ended is replaced. */
  const following = (records: Opened) => {
    const abort = new AbortController();
    const seen = new Set<number>();
    const group = ownName('group');
    const handle = async (_: number, batch: readonly PartitionRecord[]): Promise<void> => {
      for (const { position } of batch) seen.add(position);
    };
    const follow = async (): Promise<void> => {
      while (!abort.signal.aborted) {
        await records.consume({ group, handle, signal: abort.signal }).catch(() => undefined);
        await pause(200);
      }
    };
    const ended = follow();
    return {
      seen,
      stop: async () => {
        abort.abort();
        await ended;
      },
    };
  };
  const sent = async (records: Opened, batch: readonly PartitionRecord[]): Promise<void> =>
    until(async () => {
      const error = await records.send(batch).catch((reason: unknown) => reason);
      if (error !== undefined) await pause(200);
      return error === undefined;
    });

  it('keep everything that was acknowledged before the broker was killed, and are consumed again', async () => {
    const records = await topics.made();
    const consumed = following(records);
    for (let round = 0; round < 20; round += 1) await records.send(someRecords(5, 10, 10 * round));
    await control('kill', 'kafka');
    await expect(records.send(someRecords(5, 1, 200))).rejects.toThrow();
    await control('start', 'kafka');
    await sent(records, someRecords(5, 1, 200));
    expect((await records.last())[5]?.position).toBe(201);
    await until(() => consumed.seen.size === 201);
    await consumed.stop();
  });

  it('are consumed again after the broker was paused for longer than a session lasts', async () => {
    const records = await topics.made();
    const consumed = following(records);
    await records.send(someRecords(5, 1));
    await until(() => consumed.seen.has(1));
    await control('pause', 'kafka');
    await expect(records.send(someRecords(5, 1, 1))).rejects.toThrow();
    await pause(sessionMs / 2);
    await control('resume', 'kafka');
    await sent(records, someRecords(5, 2, 1));
    await until(() => consumed.seen.size === 3);
    await consumed.stop();
  });

  it('are consumed again from a new topic after the broker lost its data', async () => {
    const records = await topics.made();
    const consumed = following(records);
    await records.send(someRecords(5, 50));
    await until(() => consumed.seen.size === 50);
    await control('wipe', 'kafka');
    await control('start', 'kafka');
    await until(async () => (await records.ensure().catch((error: unknown) => error)) === undefined);
    await sent(records, someRecords(5, 1, 50));
    await until(() => consumed.seen.has(51));
    await consumed.stop();
  });
});
