import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { type ResourceKind, resourceOfStream } from '@waymark/domain/streams.ts';
import type { Change, Fact } from './change.ts';

/** The deletion that an event states, which its envelope alone tells; undefined where it states none. */
export const deletionBy = ({ stream, envelope: { type } }: RecordedEvent): DomainEvent | undefined => {
  const { id } = resourceOfStream(stream) ?? {};
  if (id === undefined) return undefined;
  if (type === 'PinpointDeleted') return { type, pinpoint: id };
  if (type === 'ListDeleted') return { type, list: id };
  return type === 'HappeningDeleted' ? { type, happening: id } : undefined;
};

/** Of an erased event only its place and its type are known. An object that was created is there, for what stands on it, but nobody is shown
 * it before an event tells again what it is; of everything else the revision moves on. */
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
