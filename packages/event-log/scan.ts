import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { EventLog, Position } from './event-log.ts';

/** A range of the log: the events after one position, up to and including another one, which the log has reached. */
export type ScanRange = { readonly after: Position; readonly through: Position };

/** Delivers all events of a range in order, in batches as `subscribe` does. Ends at the end of the range, or when the signal aborts. Rejects
 * with the error that `handle` threw. */
export const scan = async (
  { subscribe }: Pick<EventLog, 'subscribe'>,
  { after, through }: ScanRange,
  handle: (events: readonly RecordedEvent[]) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> => {
  if (after >= through) return;
  const done = new AbortController();
  const deliver = async (batch: readonly RecordedEvent[]): Promise<void> => {
    const events = batch.filter(({ position }) => position <= through);
    if (events.length > 0) await handle(events);
    if ((batch.at(-1)?.position ?? after) >= through) done.abort();
  };
  await subscribe(after, deliver, signal === undefined ? done.signal : AbortSignal.any([signal, done.signal]));
};
