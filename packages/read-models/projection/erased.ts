import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { type ResourceKind, resourceOfStream } from '@waymark/domain/streams.ts';
import type { Change, Fact } from './change.ts';

/** Returns the deletion that an event's envelope alone determines; undefined where it is no deletion. */
export const deletionBy = ({ stream, envelope: { type } }: RecordedEvent): DomainEvent | undefined => {
  const { id } = resourceOfStream(stream) ?? {};
  if (id === undefined) return undefined;
  if (type === 'PinpointDeleted') return { type, pinpoint: id };
  if (type === 'ListDeleted') return { type, list: id };
  return type === 'HappeningDeleted' ? { type, happening: id } : undefined;
};

/** Projects an erased event, of which only the stream and the type are known. A created object gets a row, which others may refer to, but
 * it is not shown until an event states its content again. For all other events only the revision changes. */
export const erased = ({ stream, revision, account, type }: Fact): readonly Change[] => {
  const { resource: kind, id } = resourceOfStream(stream) ?? {};
  if (kind === undefined || id === undefined) return [];
  if (type !== creations[kind]) return [{ type: 'moved', kind, id, revision }];
  const document = { id, account, revision, shown: false, present: true, text: JSON.stringify({ id }), file: null, pinpoint: null };
  return [{ type: 'put', kind, document, before: undefined }];
};

const creations: Record<ResourceKind, DomainEvent['type']> = {
  pinpoint: 'PinpointCreated',
  list: 'ListCreated',
  category: 'CategoryCreated',
  happening: 'HappeningCreated',
};
