import type { IncomingMessage } from 'node:http';
import { badRequest, type HttpError, requestTimeout, tooLarge, unavailable, unsupportedMediaType } from '../errors.ts';
import {
  bodyBlockBytesMax,
  bodyBlockBytesMin,
  bodyBytesMax,
  bodyPieceBytesMin,
  bodyTurnBytesMax,
  bodyValuesMax,
  formBytesMax,
  operatorBodyValuesMax,
  plainBodyBytesMax,
} from '../limits.ts';
import type { Budgets } from './budgets.ts';
import type { ByteHold } from './byte-budget.ts';

/** The kind of body that a route accepts: its limits and its budget. */
export type BodyKind = { readonly bytesMax: number; readonly valuesMax: number; readonly budget: 'files' | 'plain' | 'forms' };

/** A body that may contain a file. */
export const fileBody: BodyKind = { bytesMax: bodyBytesMax, valuesMax: bodyValuesMax, budget: 'files' };
/** A body that may not contain a file: lists, memberships and changesets. */
export const plainBody: BodyKind = { bytesMax: plainBodyBytesMax, valuesMax: bodyValuesMax, budget: 'plain' };
/** The body of a token request. */
export const formBody: BodyKind = { bytesMax: formBytesMax, valuesMax: 0, budget: 'forms' };
/** The body of a request to the operator API. */
export const operatorBody: BodyKind = { bytesMax: bodyBytesMax, valuesMax: operatorBodyValuesMax, budget: 'files' };

/** The body of one request. The handler may read it once. */
export type RequestBody = {
  /** Reads the whole body.
   * @throws HttpError 408, 413, 415, 400, 503 */
  readonly read: (kind: BodyKind) => Promise<Buffer>;
  /** Ends a reading that is still in progress, and releases the bytes that the body holds of a budget. Must be called when the request is
   * answered. */
  readonly release: () => void;
};

/** Emitted on a request whose body arrives too slowly, or after the response. The reader of the body then stops reading: it throws a 408. */
export const requestTooSlow = Symbol('too slow');

/** Returns whether a request announces a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** Creates the body of a request.
 * @param callerOf returns the caller that the bytes count against, which is known when the body is read */
export const createRequestBody = (request: IncomingMessage, budgets: Budgets, callerOf: () => string): RequestBody =>
  hasBody(request) ? createArrivingBody(request, budgets, callerOf) : noBody;

const noBytes = Buffer.alloc(0);
const noBody: RequestBody = { read: async () => noBytes, release: () => undefined };

const createArrivingBody = (request: IncomingMessage, budgets: Budgets, callerOf: () => string): RequestBody => {
  let hold: ByteHold | undefined;
  return {
    read: async ({ bytesMax, budget }) => {
      const { headers } = request;
      if (headers['content-encoding'] !== undefined) throw unsupportedMediaType('Content encodings are not supported.');
      const announced = headers['transfer-encoding'] === undefined ? Number(headers['content-length']) : undefined;
      if ((announced ?? 0) > bytesMax) throw bodyTooLarge(bytesMax);
      hold = budgets[budget].hold(callerOf());
      return receiveBody(request, hold, bytesMax, announced);
    },
    release: () => {
      // A reader that went on would take bytes that nothing releases.
      request.emit(requestTooSlow);
      hold?.release();
    },
  };
};

const receiveBody = (request: IncomingMessage, hold: ByteHold, bytesMax: number, announced: number | undefined): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const collected = createCollector(hold, bytesMax, announced);
    const stop = (): void => {
      request.off('data', data).off('end', end).off('error', cut).off('close', cut).off(requestTooSlow, slow);
    };
    const fail = (problem: HttpError): void => {
      stop();
      reject(problem);
    };
    let inTurn = 0;
    const nextTurn = (): void => {
      inTurn = 0;
      request.resume();
    };
    const data = (chunk: Buffer): void => {
      const problem = collected.add(chunk);
      inTurn += chunk.length;
      if (problem !== undefined) fail(problem);
      else if (inTurn >= bodyTurnBytesMax) {
        // Otherwise the process would read two megabytes from each fast client before it did any other work.
        request.pause();
        setImmediate(nextTurn);
      }
    };
    const end = (): void => {
      stop();
      resolve(collected.bytes());
    };
    const cut = (): void => fail(badRequest('The body was cut off.'));
    const slow = (): void => fail(requestTimeout());
    request.on('data', data).on('end', end).on('error', cut).on('close', cut).on(requestTooSlow, slow);
  });

/** Collects the pieces of a body. Takes their bytes from the budget first. Small pieces are copied into blocks that grow with the body, so
 * a body that arrives byte by byte takes at most twice its size. */
const createCollector = (hold: ByteHold, bytesMax: number, announced: number | undefined) => {
  const pieces: Buffer[] = [];
  let block = noBytes;
  let used = 0;
  let length = 0;

  const endBlock = (): void => {
    if (block === noBytes) return;
    if (used > 0) pieces.push(Buffer.from(block.subarray(0, used)));
    hold.release(block.length - used);
    block = noBytes;
    used = 0;
  };
  const keep = (chunk: Buffer): boolean => {
    endBlock();
    if (!hold.take(chunk.length)) return false;
    pieces.push(chunk);
    return true;
  };
  const copy = (chunk: Buffer): boolean => {
    if (used + chunk.length > block.length) {
      endBlock();
      const wished = Math.max(chunk.length, Math.min(bodyBlockBytesMax, Math.max(bodyBlockBytesMin, length)));
      const room = Math.min(wished, (announced ?? bytesMax) - length);
      if (!hold.take(room)) return false;
      block = Buffer.allocUnsafeSlow(room);
    }
    chunk.copy(block, used);
    used += chunk.length;
    return true;
  };
  const add = (chunk: Buffer): HttpError | undefined => {
    if (length + chunk.length > bytesMax) return bodyTooLarge(bytesMax);
    const isKept = chunk.length === announced || chunk.length >= bodyPieceBytesMin ? keep(chunk) : copy(chunk);
    if (!isKept) return unavailable('Too many large requests at once.');
    length += chunk.length;
    return undefined;
  };
  const bytes = (): Buffer => {
    endBlock();
    return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, length);
  };
  return { add, bytes };
};

const bodyTooLarge = (bytesMax: number): HttpError => tooLarge(`The body is larger than ${sizeText(bytesMax)}.`);

const sizeText = (bytes: number): string => (bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`);
