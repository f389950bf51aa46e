import type { IncomingMessage } from 'node:http';
import type { Access } from './access.ts';
import type { Endpoint } from './api/endpoints.ts';
import { notFound } from './errors.ts';
import type { Known } from './known.ts';
import type { RequestBody } from './request/request-body.ts';

/** One authenticated request. */
export type Call = {
  readonly request: IncomingMessage;
  readonly body: RequestBody;
  /** Path and query as sent. */
  readonly url: string;
  readonly requestId: string;
  readonly access: Access;
  /** The parameters of the path as sent, by name. */
  readonly parameters: Readonly<Record<string, string>>;
};

/** A body that is read while it is sent. */
export type StreamedBody = {
  /** Size in bytes. */
  readonly size: number;
  /** Size of its largest piece in bytes: what the body holds in memory while it is sent. */
  readonly pieceBytes: number;
  /** Yields the bytes, and reads each piece on demand. Yields exactly `size` bytes, or throws. The signal aborts a read in progress. */
  readonly content: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
};

/** A body that stays open, and is written piece by piece as long as its reader keeps up. */
export type OpenBody = {
  /** Writes the body, and resolves once it is over.
   * @param open sends the head of the response. What `write` throws before that is answered instead */
  readonly write: (open: () => BodyWriter) => Promise<void>;
  /** The number of bytes that may wait for the reader. A reader that is further behind is disconnected. */
  readonly behindBytesMax: number;
};

export type BodyWriter = {
  /** Writes a text. Disconnects a reader that is too far behind, or for whose bytes the process has no room. */
  readonly write: (text: string) => void;
  /** The number of bytes that wait for the reader. */
  readonly waitingBytes: () => number;
  /** Resolves once no bytes wait, or the reader is gone. */
  readonly drained: () => Promise<void>;
  /** Aborts once the reader is gone. */
  readonly gone: AbortSignal;
};

/** A response: JSON text unless the headers name another type. */
export type Answer = {
  readonly status: number;
  readonly body?: string | StreamedBody | OpenBody;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Returns an answer that needs no waiting at once. */
export type Handler = (call: Call) => Known<Answer>;

/** The endpoints that a service serves, with their handlers. */
export type Routes = Partial<Record<Endpoint, Handler>>;

/** Returns the id in the path. Only a positive safe integer identifies an object.
 * @throws HttpError 404 */
export const idOf = ({ parameters: { id: text = '' } }: Pick<Call, 'parameters'>): number => {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw notFound();
  return id;
};
