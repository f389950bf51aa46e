import { EventStoreDBClient, FORWARDS, START } from '@eventstore/db-client';
import { refusalsPrefix } from '@waymark/domain/streams.ts';
import { urlOf } from '@waymark/test-engines/test-engines.ts';
import { distinct, type Masked, type Masking } from './masked.ts';

/** Returns every stream with its events, as the event store has them. Streams that only the event store itself writes are left out, and so
 * are refused requests: it depends on the time which of them are in one event. */
export const streamsOf = async (masking: Masking): Promise<Readonly<Record<string, readonly Masked[]>>> => {
  const client = EventStoreDBClient.connectionString(urlOf('eventstore'));
  const streams = new Map<string, Masked[]>();
  try {
    for await (const { event } of client.readAll({ direction: FORWARDS, fromPosition: START })) {
      if (event === undefined || isLeftOut(event.streamId)) continue;
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

const partOf = (part: unknown, masking: Masking): Masked =>
  part instanceof Uint8Array ? masking.stored(Buffer.from(part).toString()) : masking.value(part);
