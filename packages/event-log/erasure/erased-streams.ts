import type { ErasureSummary } from '@waymark/domain/erasure-summary.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { erasuresStream } from '@waymark/domain/streams.ts';
import { appendOnce } from '../append-once.ts';
import { AppendUndecided, type EventLog, type Position, type Revision } from '../event-log.ts';
import { readEvents } from '../read-stream.ts';
import { operators, sealHousekeeping } from '../seal.ts';
import { createDigest, readRemaining } from './erasure-summary.ts';

/** A stream whose events before a revision are all erased. */
export type ErasedStream = {
  readonly stream: string;
  readonly before: number;
  readonly summary: ErasureSummary;
  /** The positions of the first and the last erased event. */
  readonly first: Position;
  readonly last: Position;
};

/** An `ErasedStream` as the content of `StreamForgotten`. Stored: never rename. */
type StoredErasedStream = {
  readonly stream: string;
  readonly before: number;
  readonly summary: { readonly count: number; readonly digest: string };
  readonly first: number;
  readonly last: number;
};

const toStored = (forgotten: ErasedStream): StoredErasedStream => ({
  stream: forgotten.stream,
  before: forgotten.before,
  summary: { count: forgotten.summary.count, digest: forgotten.summary.digest },
  first: forgotten.first,
  last: forgotten.last,
});

const fromStored = (stored: StoredErasedStream): ErasedStream => ({
  stream: stored.stream,
  before: stored.before,
  summary: stored.summary,
  first: stored.first,
  last: stored.last,
});

const triesMax = 100;

/** Returns the entries of the stream `forgotten` from a revision on, in order, and the revision after the last one that was read.
 * @throws LogUnavailable */
export const readErasedStreams = async (read: EventLog['read'], from: number) => {
  const all: ErasedStream[] = [];
  let next = from;
  for await (const { content, revision } of readEvents(read, erasuresStream, from)) {
    if (content !== null) all.push(fromStored(JSON.parse(content)));
    next = revision + 1;
  }
  return { all, next };
};

/** Returns the entry that has to be recorded before a stream is erased up to a revision.
 * @throws RangeError where the log does not hold the summary of the erasure, LogUnavailable */
export const planErasure = async (
  read: EventLog['read'],
  stream: string,
  before: number,
  summary: ErasureSummary,
): Promise<ErasedStream> => {
  const sum = createDigest();
  let [first, last]: [Position | undefined, Position] = [undefined, 0];
  for await (const left of readRemaining(read, stream, 0, before)) {
    sum.add(left);
    first ??= left.position;
    last = left.position;
  }
  const { count, digest } = sum.value();
  if (first === undefined || count !== before || summary.count !== count || summary.digest !== digest) {
    throw new RangeError(`The log has no matching summary of ${stream} before revision ${before}.`);
  }
  return { stream, before, summary, first, last };
};

/** Records an erased stream in the stream `forgotten`, unless it is recorded there already.
 * @throws LogUnavailable, AppendUndecided */
export const recordErasure = async (log: Pick<EventLog, 'append' | 'read'>, forgotten: ErasedStream): Promise<void> => {
  const event = sealHousekeeping({ type: 'StreamForgotten', version: 1, content: toStored(forgotten), origin: operators });
  for (let tries = 0, from = 0; tries < triesMax; tries += 1) {
    const { all, next } = await readErasedStreams(log.read, from);
    if (all.some(({ stream, before }) => stream === forgotten.stream && before >= forgotten.before)) return;
    from = next;
    const expected: Revision = next === 0 ? 'none' : next - 1;
    const { outcome } = await appendOnce(log, erasuresStream, [event], expected);
    if (outcome !== 'conflict') return;
  }
  throw new AppendUndecided(`The erasure of ${forgotten.stream} could not be recorded.`);
};

/** Compares one entry of the stream `forgotten` with the events that the log returns.
 * @returns the faults, as sentences
 * @throws LogUnavailable */
export const checkErasedStreams = async (read: EventLog['read'], event: RecordedEvent): Promise<readonly string[]> => {
  const { stream, before, summary } = fromStored(JSON.parse(event.content ?? '{}'));
  const sum = createDigest();
  let kept = 0;
  for await (const { revision, envelope, salt, content } of readEvents(read, stream)) {
    if (revision >= before) break;
    sum.add({ revision, envelope });
    if (salt !== null || content !== null) kept += 1;
  }
  const { count, digest } = sum.value();
  const faults: string[] = [];
  if (count !== summary.count || digest !== summary.digest)
    faults.push(`${stream}: the envelopes before revision ${before} differ from the summary.`);
  if (kept > 0) faults.push(`${stream}: ${kept} events before revision ${before} are recorded as erased, but are still there.`);
  return faults;
};
