import type { PartitionRecord, ReceivedRecord } from '@waymark/broker/broker.ts';
import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import type { ReadPosition } from '@waymark/read-models/read-models.ts';
import { eventFrameCharacters, membershipCharacters, transactionEventsMax } from '../limits.ts';
import type { Step } from '../ports.ts';
import { classifyRecord, positionAfter, type Verdict } from './classify-record.ts';

/** Records whose caller waits until they are processed. */
type WaitingBatch = {
  readonly records: readonly ReceivedRecord[];
  /** The number of processed records. */
  planned: number;
  /** The incarnation of the log, read after the records were received. */
  log: string | undefined;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
};

/** The state of one partition that is projected into the read models. */
export type PartitionState = {
  readonly partition: number;
  /** The position of the partition, as far as known; undefined until it was read from the read models. */
  reached: ReadPosition | undefined;
  /** Records from Kafka, in the order received. */
  readonly waiting: WaitingBatch[];
  /** Records from the log itself, without gaps. They are applied before the waiting records. */
  fromLog: PartitionRecord[];
  /** The position up to which missing events are read from the log. */
  readLogUpTo: number;
  /** The position of the furthest processed record of the log that the read models were built from. */
  processedUpTo: number;
  /** Whether records were rejected, and a read of the log for the events that they may have stood for is due. */
  isRereadDue: boolean;
  /** The time of the last such read. */
  rereadAtMs: number;
  /** The time at which the partition was last found standing still. */
  stoodStillAtMs: number;
  /** The time of the oldest missing event, if known. */
  missingSinceMs: number | undefined;
  /** The position of the furthest record received. */
  receivedUpTo: number;
  /** The maximum number of records that are tried at once. A failure reduces it, down to the one record that fails. */
  recordsMax: number;
  /** Whether the partition has transactions of its own, so that its failures do not affect other partitions. */
  hasOwnTransaction: boolean;
  /** The next record, if it cannot be applied. */
  blocked: BlockedRecord | undefined;
};

export type BlockedRecord = { readonly error: Error; readonly position: number; readonly sinceMs: number; readonly retryAtMs: number };

/** The work that can be done for a partition now. */
export type Plan = {
  readonly partitionState: PartitionState;
  /** Undefined if all records are duplicates or come after a gap. */
  readonly step: Step | undefined;
  /** The records that are processed once the step is done. */
  readonly taken: readonly PlannedRecord[];
  /** Why the plan ends before a further record, if there is one. */
  readonly blockedBy: Exclude<Verdict, PlannedRecord['verdict']> | undefined;
};

type PlannedRecord = { readonly record: ReceivedRecord; readonly isFromLog: boolean; readonly verdict: 'duplicate' | 'next' | 'gap' };

/** The remaining room of one transaction. */
export type Room = { events: number; characters: number };

export const createPartitionState = (partition: number): PartitionState => ({
  partition,
  reached: undefined,
  waiting: [],
  fromLog: [],
  readLogUpTo: 0,
  processedUpTo: 0,
  isRereadDue: false,
  rereadAtMs: Number.NEGATIVE_INFINITY,
  stoodStillAtMs: Number.NEGATIVE_INFINITY,
  missingSinceMs: undefined,
  receivedUpTo: 0,
  recordsMax: transactionEventsMax,
  hasOwnTransaction: false,
  blocked: undefined,
});

export const isIdle = ({ fromLog, waiting }: PartitionState): boolean => fromLog.length === 0 && waiting.length === 0;

/** Returns the position up to which a partition holds the log. */
export const heldUpTo = ({ fromLog, reached }: PartitionState): number => fromLog.at(-1)?.position ?? reached?.position ?? 0;

/** Whether the log must be read for a partition. */
export const needsLog = (partitionState: PartitionState): boolean =>
  partitionState.reached !== undefined &&
  partitionState.readLogUpTo > heldUpTo(partitionState) &&
  (partitionState.blocked === undefined || partitionState.fromLog.length === 0);

const upcoming = function* ({
  fromLog,
  waiting,
}: PartitionState): Generator<{ record: ReceivedRecord; log: string | undefined; isFromLog: boolean }> {
  for (const record of fromLog) yield { record, log: undefined, isFromLog: true };
  for (const { records, planned, log } of waiting) {
    for (let at = planned; at < records.length; at += 1) yield { record: records[at] as PartitionRecord, log, isFromLog: false };
  }
};

/** Takes as many records as can be processed in sequence, as far as there is room. Records after a gap are dropped, because the log has
 * them together with the missing ones. So no caller waits for the log, and no records pile up, while it is read. */
export const plan = (partitionState: PartitionState, reached: ReadPosition, room: Room): Plan => {
  const events: RecordedEvent[] = [];
  const taken: PlannedRecord[] = [];
  let to = reached;
  let records = 0;
  const planned = (blockedBy?: Plan['blockedBy']): Plan => {
    const step =
      to === reached ? undefined : { partition: partitionState.partition, after: reached.position, afterEvent: reached.event, events, to };
    return { partitionState, step, taken, blockedBy };
  };
  for (const { record, log, isFromLog } of upcoming(partitionState)) {
    const verdict = isFromLog && !followsPosition(record, to) ? 'duplicate' : classifyRecord(record, to, log);
    if (verdict !== 'duplicate' && verdict !== 'next' && verdict !== 'gap') return planned(verdict);
    if (verdict === 'next') {
      if (records >= partitionState.recordsMax || room.events <= 0 || room.characters <= 0) break;
      records += 1;
      to = positionAfter(record, to);
      if (record.event !== null) events.push(spend(room, record.event));
    }
    taken.push({ record, isFromLog, verdict });
  }
  return planned();
};

/** Whether a record that was read from the log still follows the position. It does not if the read models were rebuilt meanwhile: the
 * record is then dropped and read again. */
const followsPosition = (record: PartitionRecord, to: ReadPosition): boolean =>
  record.incarnation === to.incarnation && record.previous <= to.position;

const memberships: ReadonlySet<string> = new Set<DomainEvent['type']>(['PinpointsAdded', 'PinpointsRemoved']);

const spend = (room: Room, event: RecordedEvent): RecordedEvent => {
  room.events -= 1;
  const weight = memberships.has(event.envelope.type) ? membershipCharacters : 1;
  room.characters -= eventFrameCharacters + (event.content?.length ?? 0) * weight;
  return event;
};

/** Marks that the log must be read at least up to a record. */
const requireFromLog = (partitionState: PartitionState, { position, event }: PartitionRecord): void => {
  partitionState.readLogUpTo = Math.max(partitionState.readLogUpTo, position);
  if (event !== null)
    partitionState.missingSinceMs = Math.min(partitionState.missingSinceMs ?? Number.POSITIVE_INFINITY, Date.parse(event.envelope.time));
};

/** Whether a record misses only events that rejected records may have stood for: the read that is due for those also delivers this record.
 * A read that is in progress for the partition is extended to this record instead. */
const isCoveredByDueRead = (partitionState: PartitionState, { previous, followsLeftOut = false }: ReceivedRecord): boolean =>
  partitionState.isRereadDue && !needsLog(partitionState) && (followsLeftOut || previous <= partitionState.processedUpTo);

/** Leaves all waiting records to the log, so that no caller waits for a blocked partition. */
export const readFromLogInstead = (partitionState: PartitionState): void => {
  for (const { records, resolve } of partitionState.waiting.splice(0)) {
    for (const record of records) requireFromLog(partitionState, record);
    resolve();
  }
};

/** Removes the processed records, and resolves the batches that are complete. */
export const completePlan = ({ partitionState, step, taken }: Plan): void => {
  if (step) partitionState.reached = step.to;
  for (const { record, verdict } of taken) {
    if (verdict === 'gap' && !isCoveredByDueRead(partitionState, record)) requireFromLog(partitionState, record);
    if (record.incarnation === partitionState.reached?.incarnation)
      partitionState.processedUpTo = Math.max(partitionState.processedUpTo, record.position);
  }
  if (partitionState.reached !== undefined && partitionState.reached.position >= partitionState.readLogUpTo)
    partitionState.missingSinceMs = undefined;
  const isFromLog = taken.filter((one) => one.isFromLog).length;
  partitionState.fromLog = partitionState.fromLog.slice(isFromLog);
  resolveFirst(partitionState.waiting, taken.length - isFromLog);
};

const resolveFirst = (waiting: WaitingBatch[], records: number): void => {
  for (let left = records; left > 0; ) {
    const [first] = waiting;
    if (first === undefined) return;
    const now = Math.min(left, first.records.length - first.planned);
    first.planned += now;
    left -= now;
    if (first.planned < first.records.length) return;
    waiting.shift();
    first.resolve();
  }
};
