import type { Position } from '@waymark/event-log/event-log.ts';
import type { LaterActivityQuestion, Reply } from '@waymark/history/reading/questions.ts';
import type { Access } from '@waymark/http/access.ts';
import type { BodyWriter } from '@waymark/http/call.ts';
import type { Known } from '@waymark/http/known.ts';
import { streamHeartbeatMs, streamWaitingBytesMax } from '../limits.ts';
import { beginning, blocks, heartbeat } from './frames.ts';

export type LaterPart = Extract<Reply, { readonly outcome: 'later-part' }>;

/** What all parts of a stream have in common. */
export type StreamQuestion = Omit<LaterActivityQuestion, 'after'>;

/** A stream and its reader. */
export type Reader = {
  readonly question: StreamQuestion;
  readonly writer: BodyWriter;
  /** Authenticates the request again.
   * @throws HttpError, LogUnavailable, TokenStoreUnavailable */
  readonly access: () => Known<Access>;
  /** Returns the id of an event. */
  readonly idOf: (position: Position) => string;
  /** The place after which the stream continues. */
  after: Position;
  /** The position of the history at which nothing was left to read; -1 if it must be read again. */
  seen: Position;
  /** Whether the stream has been at the end. Until then it waits for its reader; from then on, the reader must keep up. */
  isLive: boolean;
  writtenMs: number;
};

/** Begins a stream with its first part. */
export const begin = (reader: Reader, part: LaterPart): void => {
  reader.writer.write(beginning(reader.idOf(reader.after)));
  give(reader, part, textOf(part, reader), -1);
};

/** Returns a part as it is sent: the same text for all readers of an account. */
export const textOf = ({ items }: LaterPart, { idOf }: Pick<Reader, 'idOf'>): string => blocks(items, ({ position }) => idOf(position));

/** Writes the text of a part, which the history had at a position. */
export const give = (reader: Reader, { through, isEnd }: LaterPart, text: string, at: Position): void => {
  if (text !== '') {
    reader.writer.write(text);
    reader.writtenMs = performance.now();
  }
  reader.after = through;
  if (!isEnd) return;
  reader.isLive = true;
  reader.seen = at;
};

/** Returns whether a stream is ready for its next part, if the history is at this position. */
export const isDue = ({ seen, isLive, writer }: Reader, at: Position): boolean =>
  seen < at && (isLive || writer.waitingBytes() <= streamWaitingBytesMax);

/** Writes a heartbeat if nothing was written for long, but not while bytes wait: the time limit of idle connections ends a reader that takes
 * none of them. */
export const beat = (reader: Reader): void => {
  const now = performance.now();
  if (now - reader.writtenMs < streamHeartbeatMs) return;
  reader.writtenMs = now;
  reader.seen = -1;
  if (reader.writer.waitingBytes() === 0) reader.writer.write(heartbeat(reader.idOf(reader.after)));
};
