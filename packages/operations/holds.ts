import { decode } from '@waymark/domain/event-types.ts';
import { ordersStream } from '@waymark/domain/streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { readEvents } from '@waymark/event-log/read-stream.ts';

/** Returns whether an object is on hold: it must not be erased.
 * @param stream the stream of the object
 * @throws LogUnavailable, NewerEvent */
export const isOnHold = async (log: EventLog, account: string, stream: string): Promise<boolean> => {
  let onHold = false;
  for await (const event of readEvents(log.read, ordersStream(account))) {
    const fact = decode(event);
    if (fact === undefined || !('object' in fact) || fact.object !== stream) continue;
    if (fact.type === 'HoldPlaced') onHold = true;
    if (fact.type === 'HoldReleased') onHold = false;
  }
  return onHold;
};
