import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { encode, eventVersions } from '@waymark/domain/event-types.ts';
import { accountStream, allocatorStream, applicationStream, ordersStream, resourceStream } from '@waymark/domain/streams.ts';
import { sampleEnvelope } from '@waymark/domain/testing/samples.ts';
import type { ReadModels, ReadPosition } from '../read-models.ts';

/** Creates a recorder of facts, which works as a log does: each stream has its revisions, and positions have gaps. */
export const recorder = () => {
  const revisions = new Map<string, number>();
  let position = 0;
  const append = (stream: string, account: string, type: string, content: string | null): RecordedEvent => {
    const revision = (revisions.get(stream) ?? -1) + 1;
    revisions.set(stream, revision);
    position += 1 + (revision % 3);
    const version = Object.hasOwn(eventVersions, type) ? eventVersions[type as DomainEvent['type']] : 1;
    const envelope = { ...sampleEnvelope, id: `event-${position}`, type, version, account };
    return { stream, revision, position, envelope, salt: content && 'AAAAAAAAAAAAAAAAAAAAAA', content };
  };
  return {
    record: (account: string, event: DomainEvent) => append(streamOf(event), account, event.type, encode(event)),
    /** Records an event whose content was erased. */
    erased: (account: string, event: DomainEvent) => append(streamOf(event), account, event.type, null),
    housekeeping: () => append(allocatorStream('pinpoint'), '', 'IdsReserved', '{}'),
  };
};

const streamOf = (event: DomainEvent): string => {
  if ('object' in event) return ordersStream(event.account);
  if ('undo' in event) return `undo-${event.undo}`;
  if ('changeset' in event) return `changeset-${event.changeset}`;
  if ('happening' in event) return resourceStream('happening', event.happening);
  if ('list' in event) return resourceStream('list', event.list);
  if ('category' in event) return resourceStream('category', event.category);
  if ('pinpoint' in event) return resourceStream('pinpoint', event.pinpoint);
  return 'application' in event ? applicationStream(event.application) : accountStream(event.account);
};

export const incarnation = 'the-log';

/** Returns the position right after an event. */
export const at = ({ position, envelope }: RecordedEvent): ReadPosition => ({ incarnation, position, event: envelope.id });

export const beginning: ReadPosition = { incarnation, position: 0, event: '' };

/** Applies all events in batches of the given sizes, in rotation. */
export const applyAll = async (
  apply: ReadModels['apply'],
  events: readonly RecordedEvent[],
  sizes: readonly number[] = [events.length],
): Promise<void> => {
  let from = beginning;
  let start = 0;
  await apply(0, 0, [], beginning);
  for (let turn = 0; start < events.length; turn += 1) {
    const batch = events.slice(start, start + Math.max(1, sizes[turn % sizes.length] ?? 1));
    const to = batch.map(at).at(-1) ?? from;
    if (!(await apply(0, from.position, batch, to))) throw new Error(`Not applied after ${from.position}.`);
    from = to;
    start += batch.length;
  }
};
