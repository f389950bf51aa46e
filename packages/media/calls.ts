import { MediaNameTaken, MediaUnavailable } from './media.ts';

/** Runs one call to a store over the network. */
export type StoreCall = <Result>(work: (signal: AbortSignal) => Promise<Result>, caller?: AbortSignal) => Promise<Result>;

/** Limits every call to `withinMs`. Then the signal of the call aborts, and the call fails even if the work ignores the signal. The same
 * happens when the signal of the caller aborts. Every failure other than a taken name becomes `MediaUnavailable`, because the caller can
 * only try again later.
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
    const leave = (): void => giveUp('The caller cancelled the call.');
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
