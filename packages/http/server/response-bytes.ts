import type { ServerResponse } from 'node:http';
import type { Answer } from '../call.ts';
import { unavailable } from '../errors.ts';
import { smallResponseBytes } from '../limits.ts';
import type { ByteBudget, ByteHold } from '../request/byte-budget.ts';

/** Counts the bytes that responses keep in memory until their clients have received them: one piece of a streamed response, all of any
 * other. */
export type ResponseBytes = {
  /** Takes the bytes of a response before it is sent.
   * @throws HttpError 503 if the response is large, answers a read, and the caller's share is used up */
  readonly take: (answer: Answer) => void;
  /** Called right after the response was written, or after its writing began. Releases the bytes that the connection accepted at once, and
   * the rest when the response is over. */
  readonly settle: () => void;
};

/** Creates the counter for one response.
 * @param caller returns the caller that the bytes count against, which is known when the response is */
export const createResponseBytes = (response: ServerResponse, budget: ByteBudget, caller: () => string): ResponseBytes => {
  let hold: ByteHold | undefined;
  let isRefused = false;

  const take = (answer: Answer): void => {
    const bytes = heldBytes(response, answer);
    if (bytes <= smallResponseBytes) return;
    hold = budget.hold(caller());
    isRefused = !hold.take(bytes);
    // A completed write stays completed, so its response must not be an error.
    if (isRefused && isRead(response)) throw unavailable('Too many large responses at once.');
  };

  const settle = (): void => {
    const waiting = response.socket?.writableLength ?? 0;
    if (waiting === 0 && response.writableEnded) {
      hold?.release();
      return;
    }
    // A response to a write for which there is no room and which the client does not accept: the client can repeat the request.
    if (isRefused && !isRead(response)) {
      response.destroy();
      return;
    }
    if (hold === undefined) {
      hold = budget.hold(caller());
      hold.take(waiting);
    }
    response.once('close', hold.release.bind(undefined, undefined));
  };
  return { take, settle };
};

/** Creates the function that counts the bytes of a response that stays open which wait for the client. It returns false if there is no room for
 * them. The bytes are released when the response is over. */
export const createWaitingBytes = (response: ServerResponse, budget: ByteBudget, caller: string): ((bytes: number) => boolean) => {
  const hold = budget.hold(caller);
  let held = 0;
  response.once('close', () => hold.release());
  return (waiting) => {
    const bytes = waiting <= smallResponseBytes ? 0 : waiting;
    if (bytes > held && !hold.take(bytes - held)) return false;
    if (bytes < held) hold.release(held - bytes);
    held = bytes;
    return true;
  };
};

const isRead = ({ req }: ServerResponse): boolean => req.method === 'GET' || req.method === 'HEAD';

const heldBytes = ({ req }: ServerResponse, { body }: Answer): number => {
  if (body === undefined || req.method === 'HEAD') return 0;
  if (typeof body === 'object') return 'size' in body ? body.pieceBytes : 0;
  // A text has at least as many bytes as characters, and at most three times as many.
  return 3 * body.length <= smallResponseBytes ? 0 : Buffer.byteLength(body);
};
