import { type AllStreamResolvedEvent, BACKWARDS, END, type ReadPosition } from '@eventstore/db-client';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { LogReads } from './calls.ts';
import { fromStoredEvent } from './events.ts';
import { headPageMax, headPages } from './limits.ts';

type Event = NonNullable<AllStreamResolvedEvent['event']>;

/** The place of an event in the log. */
export type LogPlace = Pick<RecordedEvent, 'position' | 'stream' | 'revision'> & { readonly id: string };

/** Returns a function that returns the place of the last event that `subscribe` would deliver; undefined where there is none. Any number of
 * events that the server itself writes, statistics and truncations, may follow it. They are read once only. */
export const headIn = (read: LogReads): (() => Promise<LogPlace | undefined>) => {
  let looked: { readonly newest: Event; readonly head: LogPlace } | undefined;
  const headAt = (event: Event): LogPlace | undefined => {
    const isWhereLooked = event.id === looked?.newest.id && event.position.commit === looked.newest.position.commit;
    return placeOf(fromStoredEvent(event)) ?? (isWhereLooked ? looked?.head : undefined);
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
      if (page.length < maxCount || oldest === undefined) return undefined;
      fromPosition = oldest.position;
    }
  };
};

const placeOf = (event: RecordedEvent | undefined): LogPlace | undefined =>
  event && { id: event.envelope.id, position: event.position, stream: event.stream, revision: event.revision };
