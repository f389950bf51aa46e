import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { EventLog, Revision } from '@waymark/event-log/event-log.ts';
import { nextRevision } from '../execution/load.ts';
import type { Claim, KeyClaim, NoOp } from './idempotency.ts';

/** What all runs of a request with an `Idempotency-Key` have come to: its event, or the no-op that one of them has left. */
export type Outcome = { readonly event: RecordedEvent; readonly noOp?: never } | { readonly noOp: NoOp; readonly event?: never };

/** What the runs have come to so far; undefined where an event of this run could be the first. Of an event and a no-op the one that stands
 * earlier in the log counts, for every run: each is looked for once more when the other was found. */
export const outcomeSoFar = async (log: EventLog, stream: string, { event: id, key }: Claim): Promise<Outcome | undefined> => {
  const since = key?.since();
  if (key === undefined || since === undefined) return undefined;
  const event = await appendedAfter(log, stream, since, id);
  if (event) return unlessNoOp(key, event);
  const noOp = await key.noOp();
  return noOp && unlessAppended(log, stream, id, noOp);
};

/** @param event of the request, from the log */
export const unlessNoOp = async (key: KeyClaim, event: RecordedEvent): Promise<Outcome> => {
  const noOp = await key.noOp();
  return noOp && noOp.position < event.position ? { noOp } : { event };
};

/** @param id of the request's event  @param noOp from the log */
export const unlessAppended = async (log: EventLog, stream: string, id: string, noOp: NoOp): Promise<Outcome> => {
  const event = await appendedAfter(log, stream, noOp.revision, id);
  return event && event.position < noOp.position ? { event } : { noOp };
};

/** An event of a stream, wherever it stands after a revision. */
export const appendedAfter = async (log: EventLog, stream: string, after: Revision, id: string): Promise<RecordedEvent | undefined> => {
  let from = nextRevision(after);
  for (;;) {
    const events = await log.read(stream, from);
    const found = events.find(({ envelope }) => envelope.id === id);
    if (found || events.length === 0) return found;
    from += events.length;
  }
};
