import type { EventLog } from '@waymark/event-log/event-log.ts';
import { unavailable } from '@waymark/http/errors.ts';
import { LRUCache } from 'lru-cache';
import { ownersRememberedMax } from '../limits.ts';

/** Which account an object belongs to, as its stream tells it, not the read side: that is a copy that an intruder may have changed. An owner
 * never changes, so that each is asked for once. */
export type Owners = {
  /** Begins to ask, where the owner is not known: to be confirmed later. */
  readonly ask: (stream: string) => void;
  /** Undefined where that is known already; else a promise, which rejects with a problem (503) or LogUnavailable.
   * @throws HttpError 503 where the object is not the account's */
  readonly confirm: (stream: string, account: string) => Promise<void> | undefined;
};

/** @param onForeign is told of each attempt to write to an object whose owner is not the one that the read side named */
export const createOwners = (log: EventLog, onForeign: (stream: string, account: string) => void): Owners => {
  const known = new LRUCache<string, string>({ max: ownersRememberedMax });
  const asking = new Map<string, Promise<string | undefined>>();

  const ownerOf = (stream: string): Promise<string | undefined> => {
    const asked = asking.get(stream) ?? look(stream).finally(() => asking.delete(stream));
    asking.set(stream, asked);
    return asked;
  };
  const look = async (stream: string): Promise<string | undefined> => {
    const [owner] = await log.owners([stream]);
    if (owner !== undefined) known.set(stream, owner);
    return owner;
  };
  const check = (stream: string, owner: string | undefined, account: string): void => {
    if (owner === account) return;
    onForeign(stream, account);
    throw unavailable('The read side is not what the event log says.');
  };

  return {
    ask: (stream) => {
      // A failure shows in the confirmation, which asks again.
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
