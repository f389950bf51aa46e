/** A wait between two polls. */
export type Poll = {
  readonly wait: (ms: number) => Promise<void>;
  /** Ends the wait. If none is in progress, the next one ends at once. */
  readonly end: () => void;
};

export const createPoll = (): Poll => {
  let resolve: (() => void) | undefined;
  let isEnded = false;
  return {
    wait: async (ms) => {
      if (!isEnded) {
        const ended = Promise.withResolvers<void>();
        resolve = ended.resolve;
        const timer = setTimeout(ended.resolve, ms);
        await ended.promise;
        clearTimeout(timer);
        resolve = undefined;
      }
      isEnded = false;
    },
    end: () => {
      isEnded = true;
      resolve?.();
    },
  };
};
