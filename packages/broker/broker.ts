import type { RecordedEvent } from '@waymark/domain/event.ts';
import { Unavailable } from '@waymark/domain/unavailable.ts';
import { type KnownFacts, noIds } from '@waymark/event-log/facts/facts.ts';

/** An event on its way to the read side. What it says is true of the log for itself alone, so that records may be lost, repeated, and
 * mixed with those of another sender: who has the partition up to `previous` or further has it up to `position` with this event. */
export type PartitionRecord = {
  readonly partition: number;
  /** Of the log that it comes from. */
  readonly incarnation: string;
  /** The partition's events up to here are told. */
  readonly position: number;
  /** Position of the record before it in its partition: nothing of the partition lies between the two. */
  readonly previous: number;
  /** Id of the event at `position`; of a watermark: of the partition's last event at or below it, or empty where the sender knows of none. */
  readonly eventId: string;
  /** Null in a watermark: nothing happened in the partition after `previous` up to `position`. */
  readonly event: RecordedEvent | null;
};

/** A record as it was received. */
export type ReceivedRecord = PartitionRecord & {
  /** What stood right before it was left out because nobody can tell whether it is true: it may be the reason for a gap. */
  readonly doubtful?: boolean;
};

/** The last records of this installation. */
export type LastRecords = {
  /** Of each partition, undefined where there is none. */
  readonly ofPartitions: readonly (PartitionRecord | undefined)[];
  /** Other installations that newer records name, each once. */
  readonly foreign: readonly string[];
  /** What they bring that is known of the log. */
  readonly facts: readonly KnownFacts[];
};

/** All that is known of the log from the last records: the facts that they bring, and that it had what they tell. */
export const factsOf = ({ ofPartitions, facts }: LastRecords): readonly KnownFacts[] => [
  ...facts,
  ...ofPartitions.flatMap((record) =>
    record ? { incarnation: record.incarnation, head: record.position, event: '', stream: '', revision: 0, ids: noIds } : [],
  ),
];

/** How far the partitions go. */
export type Tail = {
  /** The offset at which each partition ends. */
  readonly ends: ReadonlyMap<number, number>;
  /** Whether a partition has had a record of the installation since the offsets that were known before. */
  readonly isNew: boolean;
};

/** The records cannot be sent, read, or followed now. What was sent may have arrived, all of it or some. */
export class BrokerUnavailable extends Unavailable {}

export type Consumption = {
  /** Of the log: records that name another one, or that it did not sign, are left out. */
  readonly installation: string;
  /** Who names the same group shares the partitions. */
  readonly group: string;
  /** Is called for several partitions at the same time, with one batch of a partition at a time. It may be given what it had before, may
   * miss what it never gets, and may be called for a partition that somebody else has by now: positions decide. */
  readonly handle: (partition: number, records: readonly ReceivedRecord[]) => Promise<void>;
  /** Is told that records of a partition were left out, before `handle` gets what comes with and after them. What they stood for is in the log. */
  readonly doubted?: (partition: number) => void;
  /** Is told which partitions are its own, whenever that was decided anew. */
  readonly assigned?: (partitions: readonly number[]) => void;
  readonly signal: AbortSignal;
};

/** The log's events between relay and read side: a stretch of them, never the truth. */
export type Broker = {
  /** Makes what the records are kept in, or checks it; by any replica, at any time.
   * @throws BrokerUnavailable, Error where it is there but cannot be used */
  readonly ensure: () => Promise<void>;
  /** The last records that an installation signed. @throws BrokerUnavailable */
  readonly last: (installation: string) => Promise<LastRecords>;
  /** Whether somebody sends: what has come since an earlier tail, at little cost. @throws BrokerUnavailable */
  readonly tail: (installation: string, since: Tail | undefined) => Promise<Tail>;
  /** Adds records to their partitions, in order, signed as the installation's. A record that is too large is left out: the next one's `previous` tells.
   * @param facts what is known of the log, as it is signed: watermarks bring it
   * @throws BrokerUnavailable */
  readonly send: (records: readonly PartitionRecord[], installation: string, facts?: string) => Promise<void>;
  /** Hands over records as they come. Ends when the signal aborts, after what is being handled; rejects with what `handle` threw.
   * @throws BrokerUnavailable also where nothing has moved for a while: begin anew */
  readonly consume: (consumption: Consumption) => Promise<void>;
  readonly close: () => Promise<void>;
};
