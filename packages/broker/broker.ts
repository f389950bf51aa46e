import type { RecordedEvent } from '@waymark/domain/event.ts';
import { Unavailable } from '@waymark/domain/unavailable.ts';
import { type KnownFacts, noIds } from '@waymark/event-log/facts/facts.ts';

/** An event on its way to the read models. Each record is true by itself: a partition that has been applied up to `previous` or further is
 * complete up to `position` once this event is applied. Records may therefore be lost, repeated, or mixed with those of another sender. */
export type PartitionRecord = {
  readonly partition: number;
  /** The incarnation of the log that the record comes from. */
  readonly incarnation: string;
  /** The position up to which the partition's events are complete with this record. */
  readonly position: number;
  /** The position of the record before it in its partition. The partition has no event between the two. */
  readonly previous: number;
  /** The id of the event at `position`. In a watermark: the id of the partition's last event at or below it, or empty where the sender
   * knows of none. */
  readonly eventId: string;
  /** Null in a watermark: the partition has no event after `previous` up to `position`. */
  readonly event: RecordedEvent | null;
};

/** A record as it was received. */
export type ReceivedRecord = PartitionRecord & {
  /** True where the record right before it was left out because it could not be verified. That may be the reason for a gap. */
  readonly followsLeftOut?: boolean;
};

/** The last records of this installation. */
export type LastRecords = {
  /** The last record of each partition; undefined where there is none. */
  readonly ofPartitions: readonly (PartitionRecord | undefined)[];
  /** The other installations that newer records name, each once. */
  readonly foreign: readonly string[];
  /** The known facts of the log that the records carry. */
  readonly facts: readonly KnownFacts[];
};

/** Returns all facts of the log that the last records show: the facts that they carry, and for each record that its log had that position. */
export const factsOf = ({ ofPartitions, facts }: LastRecords): readonly KnownFacts[] => [
  ...facts,
  ...ofPartitions.flatMap((record) =>
    record ? { incarnation: record.incarnation, head: record.position, event: '', stream: '', revision: 0, ids: noIds } : [],
  ),
];

/** The ends of the partitions. */
export type Tail = {
  /** The offset at which each partition ends. */
  readonly ends: ReadonlyMap<number, number>;
  /** Whether a partition has received a record of the installation since the earlier offsets. */
  readonly isNew: boolean;
};

/** The broker cannot send, read or consume records now. Records that were sent may have arrived, all or some of them. */
export class BrokerUnavailable extends Unavailable {}

export type Consumption = {
  /** The installation of the log. Records that name another installation, or that this one did not sign, are left out. */
  readonly installation: string;
  /** The consumer group. Consumers of the same group share the partitions. */
  readonly group: string;
  /** Processes a batch. It is called for several partitions at the same time, with one batch of a partition at a time. It may receive
   * records again, may miss records, and may be called for a partition that another consumer owns by now. The handler must compare
   * positions. */
  readonly handle: (partition: number, records: readonly ReceivedRecord[]) => Promise<void>;
  /** Reports that records of a partition were left out, before `handle` receives the records of that batch and later ones. The log has the
   * events of the records that were left out. */
  readonly recordsLeftOut?: (partition: number) => void;
  /** Reports the partitions that this consumer owns, after each rebalance. */
  readonly assigned?: (partitions: readonly number[]) => void;
  readonly signal: AbortSignal;
};

/** Carries the log's events from the relay to the read models. It holds a section of them and is never the source of truth. */
export type Broker = {
  /** Creates or checks the storage of the records. Any replica may call it at any time.
   * @throws BrokerUnavailable, Error where the storage exists but cannot be used */
  readonly ensure: () => Promise<void>;
  /** Returns the last records that an installation signed.
   * @throws BrokerUnavailable */
  readonly last: (installation: string) => Promise<LastRecords>;
  /** Returns the current ends, and whether a relay has sent since an earlier tail. The call is cheap.
   * @throws BrokerUnavailable */
  readonly tail: (installation: string, since: Tail | undefined) => Promise<Tail>;
  /** Appends records to their partitions, in order, signed by the installation. A record that is too large is left out; the `previous` of
   * the next one shows the gap.
   * @param facts the known facts of the log in their signed form; watermarks carry them
   * @throws BrokerUnavailable */
  readonly send: (records: readonly PartitionRecord[], installation: string, facts?: string) => Promise<void>;
  /** Delivers records as they arrive. Resolves once the signal aborts and the running handlers have finished; rejects with the error that
   * `handle` threw.
   * @throws BrokerUnavailable also where nothing has progressed for a while: call it again */
  readonly consume: (consumption: Consumption) => Promise<void>;
  readonly close: () => Promise<void>;
};
