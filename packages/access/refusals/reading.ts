import { refusalsStream } from '@waymark/domain/streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { readEventsMax } from '@waymark/event-log/event-log.ts';
import { readsPerPageMax } from './limits.ts';
import { type Refusal, type Refusals, refusalsIn } from './stored-refusals.ts';

/** A place in the refusals of a day: the revision of an event, and the number of its refusals that come before. */
export type RefusalPlace = { readonly revision: number; readonly offset: number };

/** A page of refusals. `more`: the number of further requests that were only counted. `next`: where the next page continues; null at the
 * end. */
export type RefusalPage = Refusals & { readonly next: RefusalPlace | null };

export type RefusalQuery = {
  readonly account: string;
  /** YYYY-MM-DD, in UTC. */
  readonly day: string;
  readonly from: RefusalPlace;
  readonly limit: number;
  /** Events with an earlier time have expired, in milliseconds since 1970. */
  readonly keptSinceMs: number;
};

/** Reads a page of the refusals of an account on a day, in the order in which they were recorded: by time, except that those of one process
 * and interval are together. A page may end early.
 * @throws LogUnavailable */
export const readRefusals = async (log: Pick<EventLog, 'read'>, query: RefusalQuery): Promise<RefusalPage> => {
  const { account, day, from, limit, keptSinceMs } = query;
  const refusals: Refusal[] = [];
  let [more, next] = [0, from];
  for (let reads = 0; reads < readsPerPageMax; reads += 1) {
    const events = await log.read(refusalsStream(account, day), next.revision);
    for (const event of events) {
      const offset = event.revision === next.revision ? next.offset : 0;
      const recorded = Date.parse(event.envelope.time) < keptSinceMs ? undefined : refusalsIn(event);
      const rest = recorded?.refusals.slice(offset, offset + limit - refusals.length) ?? [];
      refusals.push(...rest);
      if (offset + rest.length < (recorded?.refusals.length ?? 0)) {
        return { refusals, more, next: { revision: event.revision, offset: offset + rest.length } };
      }
      more += recorded?.more ?? 0;
      next = { revision: event.revision + 1, offset: 0 };
    }
    if (events.length < readEventsMax) return { refusals, more, next: null };
    if (refusals.length === limit) break;
  }
  return { refusals, more, next };
};
