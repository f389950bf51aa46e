import { createCache } from '@waymark/caches/cache.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { unavailable } from '@waymark/http/errors.ts';
import { ownersRememberedMax } from '../limits.ts';

/** The owners of objects according to their streams in the log. The read models are not trusted for this, because an intruder may have
 * changed that copy. An owner never changes, so that each is queried once. */
export type Owners = {
  /** Starts the query of an unknown owner, which `confirm` uses later. */
  readonly prefetch: (stream: string) => void;
  /** Returns undefined if the owner is known already; otherwise a promise, which rejects with a problem (503) or LogUnavailable.
   * @throws HttpError 503 if the object does not belong to the account */
  readonly confirm: (stream: string, account: string) => Promise<void> | undefined;
};

/** Creates the owners.
 * @param onOwnerMismatch called for each attempt to write to an object whose owner in the log differs from the one in the read models */
export const createOwners = (log: EventLog, onOwnerMismatch: (stream: string, account: string) => void): Owners => {
  const known = createCache<string, string>(ownersRememberedMax);
  const queries = new Map<string, Promise<string | undefined>>();

  const ownerOf = (stream: string): Promise<string | undefined> => {
    const asked = queries.get(stream) ?? queryOwner(stream).finally(() => queries.delete(stream));
    queries.set(stream, asked);
    return asked;
  };
  const queryOwner = async (stream: string): Promise<string | undefined> => {
    const [owner] = await log.owners([stream]);
    if (owner !== undefined) known.set(stream, owner);
    return owner;
  };
  const check = (stream: string, owner: string | undefined, account: string): void => {
    if (owner === account) return;
    onOwnerMismatch(stream, account);
    throw unavailable('The read side is not what the event log says.');
  };

  return {
    prefetch: (stream) => {
      // `confirm` queries again, and reports the failure.
      if (!known.has(stream)) ownerOf(stream).catch(() => undefined);
    },
    confirm: (stream, account) => {
      const owner = known.get(stream);
      if (owner === undefined) return ownerOf(stream).then((found) => check(stream, found, account));
      check(stream, owner, account);
      return undefined;
    },
  };
};
