import { type Broker, BrokerUnavailable, type PartitionRecord } from '@waymark/broker/broker.ts';
import { someInstallation, someSigner } from '@waymark/broker/testing/some-records.ts';
import type { KnownFacts } from '@waymark/event-log/facts/facts.ts';
import { openFacts } from '@waymark/event-log/facts/store.ts';

/** The outcome of one send request: written and acknowledged; refused; written, but the response was lost; partly written, and the response
 * was lost; reported as failed, but written after one of the next requests. */
export type Fate = 'well' | 'refused' | 'unacknowledged' | 'partly' | 'late';

export type FakeRecords = Pick<Broker, 'ensure' | 'last' | 'tail' | 'send'> & {
  /** The records of the partitions, in the order in which they were written. */
  readonly partitions: readonly PartitionRecord[][];
  /** The outcomes of the next requests. All later requests succeed. */
  readonly fates: Fate[];
  /** Loses the last records of a partition. */
  readonly truncate: (partition: number, count: number) => void;
  /** Lets another installation write to the topic from now on, or no longer. */
  readonly share: (installation: string | undefined) => void;
  readonly wipe: () => void;
};

export const fakeRecords = (count: number): FakeRecords => {
  const partitions: PartitionRecord[][] = Array.from({ length: count }, () => []);
  const fates: Fate[] = [];
  let late: PartitionRecord[] = [];
  let topic = false;
  let foreign: string | undefined;
  let facts: readonly KnownFacts[] = [];

  const write = (records: readonly PartitionRecord[]): void => {
    for (const record of records) partitions[record.partition]?.push(record);
  };
  const unavailable = (why: string): BrokerUnavailable => new BrokerUnavailable(why);
  return {
    partitions,
    fates,
    ensure: async () => {
      topic = true;
    },
    last: async () => {
      if (!topic) throw unavailable('no topic');
      return { ofPartitions: partitions.map((records) => records.at(-1)), foreign: foreign === undefined ? [] : [foreign], facts };
    },
    tail: async (_, since) => {
      if (!topic) throw unavailable('no topic');
      const ends = new Map(partitions.map((records, partition) => [partition, records.length]));
      return { ends, isNew: since !== undefined && [...ends].some(([partition, end]) => end > (since.ends.get(partition) ?? end)) };
    },
    send: async (records, _, sealed) => {
      await Promise.resolve();
      if (!topic) throw unavailable('no topic');
      const fate = fates.shift() ?? 'well';
      if (fate === 'well' || fate === 'unacknowledged') write(records);
      if (fate === 'partly') write(records.slice(0, Math.ceil(records.length / 2)));
      // Records in flight arrive after records that were sent later.
      const told = openFacts(someSigner, someInstallation, sealed);
      if (told) facts = [told];
      write(late);
      late = fate === 'late' ? [...records] : [];
      if (fate !== 'well') throw unavailable(fate);
    },
    share: (installation) => {
      foreign = installation;
    },
    truncate: (partition, lost) => void partitions[partition]?.splice(-lost, lost),
    wipe: () => {
      topic = false;
      facts = [];
      for (const records of partitions) records.length = 0;
    },
  };
};
