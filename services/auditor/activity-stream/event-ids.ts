import type { Position } from '@waymark/event-log/event-log.ts';
import { badRequest, gone } from '@waymark/http/errors.ts';
import { createSeals } from '@waymark/http/paging/seals.ts';

/** The ids of the events of streams: what they name is opaque to clients, and authenticated. */
export type EventIds = {
  /** Returns the id that names a place in an account's activity. */
  readonly seal: (account: string, position: Position) => string;
  /** Returns the place that an id names.
   * @throws HttpError 400 for what is no id of the account, 410 for an id from before the log was renewed */
  readonly open: (account: string, id: string) => Position;
};

type Packed = readonly [incarnation: string, account: string, position: Position];

/** The ids name the incarnation of the log instead of being sealed for it: so an earlier one is recognised. */
const sealedFor = 'activity-stream';

/** @param keys the first one seals, all of them open */
export const createEventIds = (keys: readonly string[], incarnation: string): EventIds => {
  const seals = createSeals(keys, sealedFor);
  return {
    seal: (account, position) => seals.seal(JSON.stringify([incarnation, account, position] satisfies Packed)),
    open: (account, id) => {
      const text = seals.open(id);
      const [sealedIn, owner, position] = text === undefined ? [] : (JSON.parse(text) as Packed);
      if (owner !== account || position === undefined) throw badRequest('Last-Event-ID: this is not the id of an event of the stream.');
      if (sealedIn !== incarnation) throw gone();
      return position;
    },
  };
};
