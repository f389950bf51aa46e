import type { RecordedEvent } from '@waymark/domain/event.ts';
import { type EventLog, nextRevision, type Revision } from '@waymark/event-log/event-log.ts';
import { readEvents } from '@waymark/event-log/read-stream.ts';
import type { Claim, KeyClaim, NoOp } from './idempotency.ts';

/** The common result of all runs of a request with an `Idempotency-Key`: its event, or the no-op that one of the runs has stored. */
export type Outcome = { readonly event: RecordedEvent; readonly noOp?: never } | { readonly noOp: NoOp; readonly event?: never };

/** Returns the result of the runs so far; undefined if an event of this run could be the first. If both an event and a no-op exist, the one
 * at the earlier position of the log counts for every run. For this, each is searched for once more after the other was found. */
export const outcomeSoFar = async (log: EventLog, stream: string, { event: id, key }: Claim): Promise<Outcome | undefined> => {
  const since = key?.since();
  if (key === undefined || since === undefined) return undefined;
  const event = await appendedAfter(log, stream, since, id);
  if (event) return unlessNoOp(key, event);
  const noOp = await key.noOp();
  return noOp && unlessAppended(log, stream, id, noOp);
};

/** Returns the no-op if it precedes the event; otherwise the event.
 * @param event the event of the request, as read from the log */
export const unlessNoOp = async (key: KeyClaim, event: RecordedEvent): Promise<Outcome> => {
  const noOp = await key.noOp();
  return noOp && noOp.position < event.position ? { noOp } : { event };
};

/** Returns the event if it precedes the no-op; otherwise the no-op.
 * @param id the id of the event of the request
 * @param noOp the no-op, as read from the log */
export const unlessAppended = async (log: EventLog, stream: string, id: string, noOp: NoOp): Promise<Outcome> => {
  const event = await appendedAfter(log, stream, noOp.revision, id);
  return event && event.position < noOp.position ? { event } : { noOp };
};

/** Searches a stream for an event after a revision. */
export const appendedAfter = async (log: EventLog, stream: string, after: Revision, id: string): Promise<RecordedEvent | undefined> => {
  for await (const event of readEvents(log.read, stream, nextRevision(after))) {
    if (event.envelope.id === id) return event;
  }
  return undefined;
};
