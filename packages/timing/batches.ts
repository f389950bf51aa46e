export type BatchLimits = {
  /** The keys of one query. */
  readonly keysMax: number;
  /** The queries in progress at once. Keys that are requested meanwhile share the next query. */
  readonly inProgressMax: number;
  /** The keys that wait for a query. Further ones are refused. */
  readonly waitingMax: number;
};

/** Combines the keys that are requested in one turn of the event loop, or while too many queries are in progress, into one query. A query
 * starts after its requests, so no caller receives a value that was read before its request.
 * @param read returns the values of these keys; a missing key has none
 * @param tooMany the error of a request that is refused because too many keys wait */
export const createBatches = <Key, Value>(
  { keysMax, inProgressMax, waitingMax }: BatchLimits,
  read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
  tooMany: () => Error,
): ((key: Key) => Promise<Value | undefined>) => {
  type Waiting = Map<Key, PromiseWithResolvers<Value | undefined>>;
  const waiting: Waiting = new Map();
  let inProgress = 0;

  const take = (): Waiting => {
    const taken: Waiting = new Map();
    for (const [key, answer] of waiting) {
      if (taken.size === keysMax) break;
      taken.set(key, answer);
      waiting.delete(key);
    }
    return taken;
  };

  const begin = (): void => {
    while (waiting.size > 0 && inProgress < inProgressMax) {
      inProgress += 1;
      void answer(take()).finally(() => {
        inProgress -= 1;
        begin();
      });
    }
  };

  const answer = async (batch: Waiting): Promise<void> => {
    try {
      const values = await read([...batch.keys()]);
      for (const [key, { resolve }] of batch) resolve(values.get(key));
    } catch (error) {
      for (const { reject } of batch.values()) reject(error);
    }
  };

  return (key) => {
    const shared = waiting.get(key);
    if (shared) return shared.promise;
    if (waiting.size >= waitingMax) return Promise.reject(tooMany());
    if (waiting.size === 0) setImmediate(begin);
    const wanted = Promise.withResolvers<Value | undefined>();
    waiting.set(key, wanted);
    return wanted.promise;
  };
};
