import { MediaNameTaken, MediaUnavailable } from './media.ts';

/** One call of a store over the network. */
export type StoreCall = <Result>(work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>;

/** Gives every call so long: then its signal aborts, and it is given up whether it hears that or not. Whatever a store answers but a
 * name that is taken, a caller can only try again later.
 * @throws MediaUnavailable, MediaNameTaken */
export const storeCalls =
  (withinMs: number): StoreCall =>
  async (work) => {
    const { promise: over, reject: giveUp } = Promise.withResolvers<never>();
    const controller = new AbortController();
    const timer = setTimeout(() => {
      giveUp(new MediaUnavailable(`The media store did not answer within ${withinMs} ms.`));
      controller.abort();
    }, withinMs);
    try {
      return await Promise.race([work(controller.signal), over]);
    } catch (error) {
      throw error instanceof MediaNameTaken || error instanceof MediaUnavailable ? error : unavailable(error);
    } finally {
      clearTimeout(timer);
    }
  };

const unavailable = (cause: unknown): MediaUnavailable =>
  new MediaUnavailable(`The media store cannot be used: ${cause instanceof Error ? cause.name : 'unknown'}.`, { cause });
