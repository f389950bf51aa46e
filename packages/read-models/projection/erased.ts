import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { type ResourceKind, resourceOfStream } from '@waymark/domain/streams.ts';
import type { Change, Fact, Lookup, ProjectedEvent } from './change.ts';
import { pinpointShown } from './pinpoint.ts';

/** Returns the deletion that an event's envelope alone determines; undefined where it is no deletion. */
export const deletionBy = ({ stream, envelope: { type } }: RecordedEvent): ProjectedEvent | undefined => {
  const { id } = resourceOfStream(stream) ?? {};
  if (id === undefined) return undefined;
  if (type === 'PinpointDeleted') return { type, pinpoint: id };
  if (type === 'ListDeleted') return { type, list: id };
  return type === 'HappeningDeleted' ? { type, happening: id } : undefined;
};

/** Projects an erased event, of which only the stream and the type are known. An object that was created, or restored after its deletion, has
 * a row, which others may refer to, but it is not shown until an event states its content again. For all other events only the revision
 * changes. */
export const erased = ({ stream, revision, account, type }: Fact, lookup: Lookup): readonly Change[] => {
  const { resource: kind, id } = resourceOfStream(stream) ?? {};
  if (kind === undefined || id === undefined) return [];
  const document = { id, account, revision, shown: false, present: true, text: JSON.stringify({ id }), file: null, pinpoint: null };
  if (type === creations[kind]) return [{ type: 'put', kind, document, before: undefined }];
  const before = type === restorations[kind] ? lookup.document(kind, id) : undefined;
  if (!before || before.present) return [{ type: 'moved', kind, id, revision }];
  return [{ type: 'put', kind, document, before }, ...(kind === 'pinpoint' ? [pinpointShown(id, true)] : [])];
};

/** Returns the object whose document is needed to project an erased event. */
export const restoredByErased = ({ stream, type }: Fact): { readonly kind: ResourceKind; readonly id: number } | undefined => {
  const { resource: kind, id } = resourceOfStream(stream) ?? {};
  return kind !== undefined && id !== undefined && type === restorations[kind] ? { kind, id } : undefined;
};

const creations: Record<ResourceKind, DomainEvent['type']> = {
  pinpoint: 'PinpointCreated',
  list: 'ListCreated',
  category: 'CategoryCreated',
  happening: 'HappeningCreated',
};

const restorations: Partial<Record<ResourceKind, DomainEvent['type']>> = {
  pinpoint: 'PinpointRestored',
  list: 'ListRestored',
  happening: 'HappeningRestored',
};
