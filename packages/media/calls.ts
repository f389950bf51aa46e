import { MediaNameTaken, MediaUnavailable } from './media.ts';

/** One call of a store over the network. */
export type StoreCall = <Result>(work: (signal: AbortSignal) => Promise<Result>, caller?: AbortSignal) => Promise<Result>;

/** Gives every call so long: then its signal aborts, and it is given up whether it hears that or not. The same happens when the caller's own
 * signal aborts. Whatever a store answers but a name that is taken, a caller can only try again later.
 * @throws MediaUnavailable, MediaNameTaken */
export const createStoreCalls =
  (withinMs: number): StoreCall =>
  async (work, caller) => {
    const { promise: over, reject } = Promise.withResolvers<never>();
    const controller = new AbortController();
    const giveUp = (why: string): void => {
      reject(new MediaUnavailable(why));
      controller.abort();
    };
    const timer = setTimeout(() => giveUp(`The media store did not answer within ${withinMs} ms.`), withinMs);
    const leave = (): void => giveUp('The caller left.');
    if (caller?.aborted) leave();
    caller?.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([work(controller.signal), over]);
    } catch (error) {
      throw error instanceof MediaNameTaken || error instanceof MediaUnavailable ? error : unavailable(error);
    } finally {
      clearTimeout(timer);
      caller?.removeEventListener('abort', leave);
    }
  };

const unavailable = (cause: unknown): MediaUnavailable =>
  new MediaUnavailable(`The media store cannot be used: ${cause instanceof Error ? cause.name : 'unknown'}.`, { cause });
