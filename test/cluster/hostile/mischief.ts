import { setTimeout as pause } from 'node:timers/promises';
import type { Broker, PartitionRecord } from '@waymark/broker/broker.ts';
import type { Random } from '../../crash/random.ts';

/** Changes the delivery of acknowledged records: which records arrive, and when. */
export type RecordFault = (records: readonly PartitionRecord[], random: Random) => readonly Delivery[];

/** Records that arrive together, and their delay in milliseconds. */
export type Delivery = { readonly records: readonly PartitionRecord[]; readonly afterMs?: number };

const heldMs = 1_500;
const lateMs = 400;

export const none: RecordFault = (records) => [{ records }];

/** Loses some records, watermarks included. */
export const lost =
  (share: number): RecordFault =>
  (records, random) => [{ records: records.filter(() => !random.chance(share)) }];

export const repeated: RecordFault = (records, random) => [
  { records },
  { records: records.filter(() => random.chance(0.5)) },
  { records: records.filter(() => random.chance(0.3)), afterMs: heldMs },
];

/** Delivers the records of each partition in another order. */
export const reordered: RecordFault = (records, random) => [{ records: shuffled(records, random) }];

/** Delivers some records after later ones. */
export const overtaken: RecordFault = (records, random) => {
  const held = new Set(records.filter(() => random.chance(0.3)));
  return [{ records: records.filter((record) => !held.has(record)) }, { records: [...held], afterMs: random.below(heldMs) }];
};

/** Delivers all records late, in their order. */
export const late: RecordFault = (records, random) => [{ records, afterMs: random.below(lateMs) }];

/** Loses all further events of some partitions. Only their watermarks show that there were events. */
export const tailLost =
  (partitions: ReadonlySet<number>): RecordFault =>
  (records) => [{ records: records.filter(({ partition, event }) => event === null || !partitions.has(partition)) }];

export const allFaults: RecordFault = (records, random) =>
  [lost(0.1), repeated, reordered, overtaken].reduce<readonly Delivery[]>(
    (deliveries, mischief) =>
      deliveries.flatMap(({ records: some, afterMs = 0 }) =>
        mischief(some, random).map((delivery) => ({ ...delivery, afterMs: afterMs + (delivery.afterMs ?? 0) })),
      ),
    [{ records }],
  );

const shuffled = <Item>(items: readonly Item[], random: Random): readonly Item[] =>
  items
    .map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);

type Sending = Pick<Broker, 'ensure' | 'last' | 'tail' | 'send'>;

/** Acknowledges every record, and delivers the records that the current mischief leaves. */
export const faultyRecords = (records: Sending, mischief: () => RecordFault, random: Random): Sending => ({
  ...records,
  send: async (sent, installation) => {
    for (const { records: some, afterMs = 0 } of mischief()(sent, random)) {
      if (some.length === 0) continue;
      if (mischief() === late) await pause(afterMs);
      else if (afterMs > 0) {
        void pause(afterMs).then(() => records.send(some, installation).catch(() => undefined));
        continue;
      }
      await records.send(some, installation);
    }
  },
});
