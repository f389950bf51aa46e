import type { ServerResponse } from 'node:http';
import type { Answer } from '../call.ts';
import { unavailable } from '../errors.ts';
import { smallResponseBytes } from '../limits.ts';
import type { ByteBudget, ByteHold } from '../request/byte-budget.ts';

/** Counts what responses keep in memory until their clients have taken them: of a streamed one a piece, of any other one all of it. */
export type ResponseBytes = {
  /** Before an answer is sent. @throws HttpError 503 where it is large, answers a read, and the caller's share is used up */
  readonly take: (answer: Answer) => void;
  /** Right after it was written, or was begun to be: gives back what the connection took at once, the rest when the response is over. */
  readonly settle: () => void;
};

/** @param caller whose bytes they are, known when an answer is */
export const createResponseBytes = (response: ServerResponse, budget: ByteBudget, caller: () => string): ResponseBytes => {
  let hold: ByteHold | undefined;
  let isRefused = false;

  const take = (answer: Answer): void => {
    const bytes = heldBytes(response, answer);
    if (bytes <= smallResponseBytes) return;
    hold = budget.hold(caller());
    isRefused = !hold.take(bytes);
    // What was written stays written: its answer is no error.
    if (isRefused && isRead(response)) throw unavailable('Too many large responses at once.');
  };

  const settle = (): void => {
    const waiting = response.socket?.writableLength ?? 0;
    if (waiting === 0 && response.writableEnded) {
      hold?.release();
      return;
    }
    // The answer to a write for which there is no room and which the client does not take: it can repeat the request.
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

const isRead = ({ req }: ServerResponse): boolean => req.method === 'GET' || req.method === 'HEAD';

const heldBytes = ({ req }: ServerResponse, { body }: Answer): number => {
  if (body === undefined || req.method === 'HEAD') return 0;
  if (typeof body === 'object') return body.pieceBytes;
  // No text has fewer bytes than characters, nor more than three times as many.
  return 3 * body.length <= smallResponseBytes ? 0 : Buffer.byteLength(body);
};
