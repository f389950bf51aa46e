import { someEvent } from '@waymark/event-log/testing/some-events.ts';
import { createSigner } from '@waymark/signing/signer.ts';
import type { PartitionRecord } from '../broker.ts';

/** The signer and the installation that tests use. */
export const someSigner = createSigner(['a key of tests, which guards nothing else']);
export const someInstallation = '00000000-0000-4000-8000-000000000001';

type RecordPosition = Pick<PartitionRecord, 'partition' | 'previous' | 'position'>;

/** Returns a record with an arbitrary event. */
export const someRecord = (place: RecordPosition, content?: string): PartitionRecord => {
  const event = someEvent(content);
  return {
    ...place,
    incarnation: 'some-log',
    eventId: event.envelope.id,
    event: { stream: 'pinpoint-1', revision: 0, position: place.position, ...event },
  };
};

export const someWatermark = (place: RecordPosition): PartitionRecord => ({ ...place, incarnation: 'some-log', eventId: '', event: null });

/** Returns consecutive records of one partition. */
export const someRecords = (partition: number, count: number, after = 0): PartitionRecord[] =>
  Array.from({ length: count }, (_, index) => someRecord({ partition, previous: after + index, position: after + index + 1 }));
