import type { PartitionRecord, ReceivedRecord } from '@waymark/broker/broker.ts';
import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import type { ReadPosition } from '@waymark/read-models/read-models.ts';
import { eventFrameCharacters, membershipCharacters, transactionEventsMax } from '../limits.ts';
import type { Step } from '../ports.ts';
import { after, classifyRecord, type Verdict } from './classify-record.ts';

/** Records that somebody waits for. */
type WaitingBatch = {
  readonly records: readonly ReceivedRecord[];
  /** How many of them were dealt with. */
  taken: number;
  /** Incarnation of the log, asked after they were received. */
  log: string | undefined;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
};

/** One partition on its way into the read side. */
export type PartitionState = {
  readonly partition: number;
  /** As far as known; undefined until the read side was asked. */
  stands: ReadPosition | undefined;
  /** From Kafka, in the order received. */
  readonly waiting: WaitingBatch[];
  /** From the log itself, without gaps: they go before what waits. */
  fill: PartitionRecord[];
  /** What is missing up to here is read from the log. */
  goal: number;
  /** Position of the furthest record dealt with, of the log that the read side was made from. */
  known: number;
  /** Records were left out that cannot be believed, and the log is about to be read for what they may have stood for. */
  doubted: boolean;
  /** When that was done last. */
  doubtReadAtMs: number;
  /** Time of the oldest event that is missing, if known. */
  missingSinceMs: number | undefined;
  /** Position of the furthest record received. */
  seen: number;
  /** Records that are tried at once: fewer after a failure, down to the one that fails. */
  recordsMax: number;
  /** It has transactions of its own, so that it fails nobody else's. */
  alone: boolean;
  /** Its next record cannot be applied. */
  standing: BlockedRecord | undefined;
};

export type BlockedRecord = { readonly error: Error; readonly position: number; readonly sinceMs: number; readonly retryAtMs: number };

/** What can be done for a partition now. */
export type Plan = {
  readonly lane: PartitionState;
  /** Nothing, where all that it deals with was told before. */
  readonly step: Step | undefined;
  /** Records that are dealt with once the step is done. */
  readonly taken: readonly Taken[];
  /** Why it ends where it does, if another record is there. */
  readonly stop: Exclude<Verdict, Taken['verdict']> | undefined;
};

type Taken = { readonly record: ReceivedRecord; readonly filled: boolean; readonly verdict: 'duplicate' | 'next' | 'gap' };

/** What one transaction still has room for. */
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

/** How far what it holds from the log reaches. */
export const heldTo = ({ fill, stands }: PartitionState): number => fill.at(-1)?.position ?? stands?.position ?? 0;

/** Whether the log has to be read for it. */
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

/** Takes as many records as can be dealt with one after the other, as far as there is room. What comes after a gap is dropped: the log has it
 * together with what is missing, so that nobody waits for the log, and nothing piles up, while it is read. */
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

/** What was read from the log follows what is there, unless the read side was begun anew meanwhile: then it is dropped and read again. */
const follows = (record: PartitionRecord, to: ReadPosition): boolean =>
  record.incarnation === to.incarnation && record.previous <= to.position;

const memberships: ReadonlySet<string> = new Set<DomainEvent['type']>(['PinpointsAdded', 'PinpointsRemoved']);

const spend = (room: Room, event: RecordedEvent): RecordedEvent => {
  room.events -= 1;
  const weight = memberships.has(event.envelope.type) ? membershipCharacters : 1;
  room.characters -= eventFrameCharacters + (event.content?.length ?? 0) * weight;
  return event;
};

/** The log is to be read up to a record, at least. */
const miss = (lane: PartitionState, { position, event }: PartitionRecord): void => {
  lane.goal = Math.max(lane.goal, position);
  if (event !== null) lane.missingSinceMs = Math.min(lane.missingSinceMs ?? Number.POSITIVE_INFINITY, Date.parse(event.envelope.time));
};

/** Whether a record misses nothing but what records that were left out may have stood for: the read that is due for them gives it, too. A read that
 * is under way for the lane goes on to this record instead. */
const isOfDoubt = (lane: PartitionState, { previous, doubtful = false }: ReceivedRecord): boolean =>
  lane.doubted && !needsLog(lane) && (doubtful || previous <= lane.known);

/** Leaves all that waits to the log: nobody is to wait for a partition that stands still. */
export const readFromLogInstead = (lane: PartitionState): void => {
  for (const { records, resolve } of lane.waiting.splice(0)) {
    for (const record of records) miss(lane, record);
    resolve();
  }
};

/** Removes what was dealt with, and answers those who waited for it. */
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
