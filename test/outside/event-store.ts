import { EventStoreDBClient, FORWARDS, START } from '@eventstore/db-client';
import { refusalsPrefix } from '@waymark/domain/streams.ts';
import type { UndoNote } from '@waymark/history/undo-jobs/notes.ts';
import { urlOf } from '@waymark/test-engines/test-engines.ts';
import { distinct, type Masked, type Masking } from './masked.ts';

/** Returns every stream with its events, as the event store has them. Streams that only the event store itself writes are left out, and so
 * is what depends on the time: refused requests, and notes that an undo job made on its way. */
export const streamsOf = async (masking: Masking): Promise<Readonly<Record<string, readonly Masked[]>>> => {
  const client = EventStoreDBClient.connectionString(urlOf('eventstore'));
  const streams = new Map<string, Masked[]>();
  try {
    for await (const { event } of client.readAll({ direction: FORWARDS, fromPosition: START })) {
      if (event === undefined || isLeftOut(event.streamId) || isOnItsWay(event.type, event.data)) continue;
      const name = masking.text(event.streamId);
      const masked = { type: event.type, data: partOf(event.data, masking), metadata: partOf(event.metadata, masking) };
      streams.set(name, [...(streams.get(name) ?? []), masked]);
    }
  } finally {
    await client.dispose();
  }
  return Object.fromEntries([...streams].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, events]) => [name, distinct(events)]));
};

const isLeftOut = (stream: string): boolean =>
  (stream.startsWith('$') && !stream.startsWith('$$')) || stream.replace('$$', '').startsWith(refusalsPrefix);

const isOnItsWay = (type: string, data: unknown): boolean => {
  if (type !== 'UndoProgressed' || !(data instanceof Uint8Array)) return false;
  const { objects, undone, partly, kept } = (JSON.parse(Buffer.from(data).toString()) as UndoNote).progress;
  const ended = undone + partly + kept;
  return ended > 0 && ended < (objects ?? 0);
};

const partOf = (part: unknown, masking: Masking): Masked =>
  part instanceof Uint8Array ? masking.stored(Buffer.from(part).toString()) : masking.value(part);
