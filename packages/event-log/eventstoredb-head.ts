import { type AllStreamResolvedEvent, BACKWARDS, END, type ReadPosition } from '@eventstore/db-client';
import type { Position } from './event-log.ts';
import type { Reading } from './eventstoredb-calls.ts';
import { recorded } from './eventstoredb-events.ts';
import { headPageMax, headPages } from './eventstoredb-limits.ts';

type Event = NonNullable<AllStreamResolvedEvent['event']>;

/** Tells the position of the last event that `follow` would give, 0 where there is none. What the server writes of its own, statistics and
 * truncations, comes behind it, however much: it is gone through once. */
export const headIn = (read: Reading): (() => Promise<Position>) => {
  let looked: { readonly newest: Event; readonly head: Position } | undefined;
  const headAt = (event: Event): Position | undefined => {
    const isWhereLooked = event.id === looked?.newest.id && event.position.commit === looked.newest.position.commit;
    return recorded(event)?.position ?? (isWhereLooked ? looked?.head : undefined);
  };
  return async () => {
    let newest: Event | undefined;
    let fromPosition: ReadPosition = END;
    for (let pages = 0; ; pages += 1) {
      const maxCount = headPages[pages] ?? headPageMax;
      const page = await read((client) => client.readAll({ direction: BACKWARDS, fromPosition, maxCount, requiresLeader: true }));
      const events = page.flatMap(({ event }) => event ?? []);
      for (const event of events) {
        newest ??= event;
        const head = headAt(event);
        if (head === undefined) continue;
        looked = { newest, head };
        return head;
      }
      const oldest = events.at(-1);
      if (page.length < maxCount || oldest === undefined) return 0;
      fromPosition = oldest.position;
    }
  };
};
