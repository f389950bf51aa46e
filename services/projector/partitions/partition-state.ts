import type { PartitionRecord, ReceivedRecord } from '@waymark/broker/broker.ts';
import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import type { ReadPosition } from '@waymark/read-models/read-models.ts';
import { eventFrameCharacters, membershipCharacters, transactionEventsMax } from '../limits.ts';
import type { Step } from '../ports.ts';
import { after, classifyRecord, type Verdict } from './classify-record.ts';

/** Records whose caller waits until they are processed. */
type WaitingBatch = {
  readonly records: readonly ReceivedRecord[];
  /** The number of processed records. */
  taken: number;
  /** The incarnation of the log, read after the records were received. */
  log: string | undefined;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
};

/** The state of one partition that is projected into the read models. */
export type PartitionState = {
  readonly partition: number;
  /** The position of the partition, as far as known; undefined until it was read from the read models. */
  stands: ReadPosition | undefined;
  /** Records from Kafka, in the order received. */
  readonly waiting: WaitingBatch[];
  /** Records from the log itself, without gaps. They are applied before the waiting records. */
  fill: PartitionRecord[];
  /** The position up to which missing events are read from the log. */
  goal: number;
  /** The position of the furthest processed record of the log that the read models were built from. */
  known: number;
  /** Whether records were rejected, and a read of the log for the events that they may have stood for is due. */
  doubted: boolean;
  /** The time of the last such read. */
  doubtReadAtMs: number;
  /** The time of the oldest missing event, if known. */
  missingSinceMs: number | undefined;
  /** The position of the furthest record received. */
  seen: number;
  /** The maximum number of records that are tried at once. A failure reduces it, down to the one record that fails. */
  recordsMax: number;
  /** Whether the partition has transactions of its own, so that its failures do not affect other partitions. */
  alone: boolean;
  /** The next record, if it cannot be applied. */
  standing: BlockedRecord | undefined;
};

export type BlockedRecord = { readonly error: Error; readonly position: number; readonly sinceMs: number; readonly retryAtMs: number };

/** The work that can be done for a partition now. */
export type Plan = {
  readonly lane: PartitionState;
  /** Undefined if all records are duplicates or come after a gap. */
  readonly step: Step | undefined;
  /** The records that are processed once the step is done. */
  readonly taken: readonly Taken[];
  /** Why the plan ends before a further record, if there is one. */
  readonly stop: Exclude<Verdict, Taken['verdict']> | undefined;
};

type Taken = { readonly record: ReceivedRecord; readonly filled: boolean; readonly verdict: 'duplicate' | 'next' | 'gap' };

/** The remaining room of one transaction. */
export type Room = { events: number; characters: number };

export const createPartitionState = (partition: number): PartitionState => ({
  partition,
  stands: undefined,
  waiting: [],
  fill: [],
  goal: 0,
  known: 0,
  doubted: false,
  doubtReadAtMs: Number.NEGATIVE_INFINITY,
  missingSinceMs: undefined,
  seen: 0,
  recordsMax: transactionEventsMax,
  alone: false,
  standing: undefined,
});

export const isIdle = ({ fill, waiting }: PartitionState): boolean => fill.length === 0 && waiting.length === 0;

/** Returns the position up to which a partition holds the log. */
export const heldTo = ({ fill, stands }: PartitionState): number => fill.at(-1)?.position ?? stands?.position ?? 0;

/** Whether the log must be read for a partition. */
export const needsLog = (lane: PartitionState): boolean =>
  lane.stands !== undefined && lane.goal > heldTo(lane) && (lane.standing === undefined || lane.fill.length === 0);

const upcoming = function* ({
  fill,
  waiting,
}: PartitionState): Generator<{ record: ReceivedRecord; log: string | undefined; filled: boolean }> {
  for (const record of fill) yield { record, log: undefined, filled: true };
  for (const { records, taken, log } of waiting) {
    for (let at = taken; at < records.length; at += 1) yield { record: records[at] as PartitionRecord, log, filled: false };
  }
};

/** Takes as many records as can be processed in sequence, as far as there is room. Records after a gap are dropped, because the log has
 * them together with the missing ones. So no caller waits for the log, and no records pile up, while it is read. */
export const plan = (lane: PartitionState, stands: ReadPosition, room: Room): Plan => {
  const events: RecordedEvent[] = [];
  const taken: Taken[] = [];
  let to = stands;
  let records = 0;
  const planned = (stop?: Plan['stop']): Plan => {
    const step = to === stands ? undefined : { partition: lane.partition, after: stands.position, afterEvent: stands.event, events, to };
    return { lane, step, taken, stop };
  };
  for (const { record, log, filled } of upcoming(lane)) {
    const verdict = filled && !follows(record, to) ? 'duplicate' : classifyRecord(record, to, log);
    if (verdict !== 'duplicate' && verdict !== 'next' && verdict !== 'gap') return planned(verdict);
    if (verdict === 'next') {
      if (records >= lane.recordsMax || room.events <= 0 || room.characters <= 0) break;
      records += 1;
      to = after(record, to);
      if (record.event !== null) events.push(spend(room, record.event));
    }
    taken.push({ record, filled, verdict });
  }
  return planned();
};

/** Whether a record that was read from the log still follows the position. It does not if the read models were rebuilt meanwhile: the
 * record is then dropped and read again. */
const follows = (record: PartitionRecord, to: ReadPosition): boolean =>
  record.incarnation === to.incarnation && record.previous <= to.position;

const memberships: ReadonlySet<string> = new Set<DomainEvent['type']>(['PinpointsAdded', 'PinpointsRemoved']);

const spend = (room: Room, event: RecordedEvent): RecordedEvent => {
  room.events -= 1;
  const weight = memberships.has(event.envelope.type) ? membershipCharacters : 1;
  room.characters -= eventFrameCharacters + (event.content?.length ?? 0) * weight;
  return event;
};

/** Marks that the log must be read at least up to a record. */
const miss = (lane: PartitionState, { position, event }: PartitionRecord): void => {
  lane.goal = Math.max(lane.goal, position);
  if (event !== null) lane.missingSinceMs = Math.min(lane.missingSinceMs ?? Number.POSITIVE_INFINITY, Date.parse(event.envelope.time));
};

/** Whether a record misses only events that rejected records may have stood for: the read that is due for those also delivers this record.
 * A read that is in progress for the partition is extended to this record instead. */
const isOfDoubt = (lane: PartitionState, { previous, doubtful = false }: ReceivedRecord): boolean =>
  lane.doubted && !needsLog(lane) && (doubtful || previous <= lane.known);

/** Leaves all waiting records to the log, so that no caller waits for a blocked partition. */
export const readFromLogInstead = (lane: PartitionState): void => {
  for (const { records, resolve } of lane.waiting.splice(0)) {
    for (const record of records) miss(lane, record);
    resolve();
  }
};

/** Removes the processed records, and resolves the batches that are complete. */
export const settle = ({ lane, step, taken }: Plan): void => {
  if (step) lane.stands = step.to;
  for (const { record, verdict } of taken) {
    if (verdict === 'gap' && !isOfDoubt(lane, record)) miss(lane, record);
    if (record.incarnation === lane.stands?.incarnation) lane.known = Math.max(lane.known, record.position);
  }
  if (lane.stands !== undefined && lane.stands.position >= lane.goal) lane.missingSinceMs = undefined;
  const filled = taken.filter((one) => one.filled).length;
  lane.fill = lane.fill.slice(filled);
  resolveFirst(lane.waiting, taken.length - filled);
};

const resolveFirst = (waiting: WaitingBatch[], records: number): void => {
  for (let left = records; left > 0; ) {
    const [first] = waiting;
    if (first === undefined) return;
    const now = Math.min(left, first.records.length - first.taken);
    first.taken += now;
    left -= now;
    if (first.taken < first.records.length) return;
    waiting.shift();
    first.resolve();
  }
};
