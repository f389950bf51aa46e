import { createHash } from 'node:crypto';
import type { ErasureSummary } from '@waymark/domain/erasure-summary.ts';
import type { Envelope, RecordedEvent } from '@waymark/domain/event.ts';
import { isStoredEvent } from '@waymark/domain/recorded-event.ts';
import { redactedStream } from '@waymark/domain/streams.ts';
import { appendOnce } from '../append-once.ts';
import { AppendUndecided, type EventLog, LogUnavailable, type Position, type Revision } from '../event-log.ts';
import { readEvents } from '../read-stream.ts';
import { operators, sealHousekeeping } from '../seal.ts';

/** The remains of an event whose content was erased. */
export type RemainingEvent = { readonly revision: number; readonly position: Position; readonly envelope: Envelope };

/** The content of `ErasureSummarised`, one piece of a summary. Stored: never rename. */
type StoredPiece = { readonly events: readonly StoredLeft[] };
type StoredLeft = { readonly revision: number; readonly position: number; readonly envelope: Envelope };

const toStored = (left: RemainingEvent): StoredLeft => ({ revision: left.revision, position: left.position, envelope: left.envelope });
const fromStored = (stored: StoredLeft): RemainingEvent => ({
  revision: stored.revision,
  position: stored.position,
  envelope: stored.envelope,
});

const isStoredLeft = (value: unknown): value is StoredLeft =>
  value instanceof Object && isStoredEvent({ ...value, stream: '', salt: null, content: null });

/** The maximum size of the content of one piece, in bytes. */
export const pieceBytesMax = 524_288;
/** A stream has nothing to erase, or cannot be erased. */
export class NotErasable extends Error {}

/** How often the summary is read again because another process adds to it, too. */
const triesMax = 20;

/** Yields the remains of a stream's events from one revision up to, but not including, another, as far as the stream's summary reaches.
 * @throws LogUnavailable, also where the summary is damaged */
export async function* readRemaining(read: EventLog['read'], stream: string, from: number, before: number): AsyncGenerator<RemainingEvent> {
  for await (const { left } of piecesOf(read, stream)) {
    for (const one of left) {
      if (one.revision >= before) return;
      if (one.revision >= from) yield one;
    }
  }
}

/** Converts the remains to an event as the log delivers it. */
export const toErasedEvent = (stream: string, { revision, position, envelope }: RemainingEvent): RecordedEvent => ({
  stream,
  revision,
  position,
  envelope,
  salt: null,
  content: null,
});

/** Computes the count and the digest of the remains of events. Expects all events of a stream from the first one on, in order. */
export const createDigest = () => {
  const digest = createHash('sha256');
  let count = 0;
  return {
    add: ({ revision, envelope }: Pick<RemainingEvent, 'revision' | 'envelope'>): void => {
      const properties = Object.entries(envelope).sort(([one], [other]) => (one < other ? -1 : 1));
      digest.update(`${JSON.stringify([revision, properties])}\n`);
      count += 1;
    },
    /** Can be called once only. */
    value: (): ErasureSummary => ({ count, digest: digest.digest('hex') }),
  };
};

/** Writes the summary: what remains of all events of a stream before a revision once they are erased. Skips what is written already.
 * @throws LogUnavailable, AppendUndecided, NotErasable where the stream does not hold all of these events */
export const summarize = async (log: Pick<EventLog, 'append' | 'read'>, stream: string, before: number): Promise<ErasureSummary> => {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const sum = createDigest();
    let [next, pieces]: [number, Revision] = [0, 'none'];
    for await (const { left, revision } of piecesOf(log.read, stream)) {
      for (const one of left) if (one.revision < before) sum.add(one);
      next = (left.at(-1)?.revision ?? -1) + 1;
      pieces = revision;
    }
    const complete = next >= before || (await addPieces(log, stream, { from: next, before, last: pieces, sum }));
    if (complete) return sum.value();
  }
  throw new AppendUndecided(`The summary of ${stream} could not be written.`);
};

type Adding = { readonly from: number; readonly before: number; readonly last: Revision; readonly sum: ReturnType<typeof createDigest> };

/** Appends the missing pieces. Returns false where another process appends too: the caller then reads the pieces again. */
const addPieces = async (log: Pick<EventLog, 'append' | 'read'>, stream: string, { from, before, last, sum }: Adding): Promise<boolean> => {
  let expected = last;
  for await (const left of inPieces(eventsOf(log.read, stream, from, before))) {
    const appended = await append(log, stream, left, expected);
    if (appended === undefined) return false;
    expected = appended;
    for (const one of left) sum.add(one);
  }
  return true;
};

/** Appends a piece. Returns its revision, or undefined after a conflict. */
const append = async (log: Pick<EventLog, 'append' | 'read'>, stream: string, left: readonly RemainingEvent[], expected: Revision) => {
  const content: StoredPiece = { events: left.map(toStored) };
  const piece = sealHousekeeping({ type: 'ErasureSummarised', version: 1, content, origin: operators });
  const appended = await appendOnce(log, redactedStream(stream), [piece], expected);
  return appended.outcome === 'conflict' ? undefined : appended.revision;
};

async function* inPieces(all: AsyncIterable<RemainingEvent>): AsyncGenerator<readonly RemainingEvent[]> {
  let piece: RemainingEvent[] = [];
  let bytes = emptyPieceBytes;
  for await (const left of all) {
    const size = Buffer.byteLength(JSON.stringify(toStored(left))) + 1;
    if (piece.length > 0 && bytes + size > pieceBytesMax) {
      yield piece;
      [piece, bytes] = [[], emptyPieceBytes];
    }
    piece.push(left);
    bytes += size;
  }
  if (piece.length > 0) yield piece;
}

const emptyPieceBytes = JSON.stringify({ events: [] } satisfies StoredPiece).length;

async function* eventsOf(read: EventLog['read'], stream: string, from: number, before: number): AsyncGenerator<RemainingEvent> {
  let next = from;
  for await (const { revision, position, envelope } of readEvents(read, stream, from)) {
    if (revision !== next) throw new NotErasable(`${stream} no longer has revision ${next}, so the remains of that event are unknown.`);
    yield { revision, position, envelope };
    next += 1;
    if (next === before) return;
  }
  throw new NotErasable(`${stream} ends before revision ${next}.`);
}

type Piece = { readonly revision: number; readonly left: readonly RemainingEvent[] };

async function* piecesOf(read: EventLog['read'], stream: string): AsyncGenerator<Piece> {
  let next = 0;
  for await (const piece of readEvents(read, redactedStream(stream))) {
    const left = leftIn(piece, stream);
    if (left[0]?.revision !== next) throw new LogUnavailable(`The summary of ${stream} is not complete: revision ${next} is missing.`);
    next += left.length;
    yield { revision: piece.revision, left };
  }
}

const leftIn = ({ content, revision }: RecordedEvent, stream: string): readonly RemainingEvent[] => {
  const { events }: Partial<StoredPiece> = JSON.parse(content ?? '{}');
  if (!Array.isArray(events) || !events.every(isStoredLeft)) {
    throw new LogUnavailable(`Piece ${revision} of the summary of ${stream} cannot be read.`);
  }
  return events.map(fromStored);
};
