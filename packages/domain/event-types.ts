import { accountEventVersions } from './account/events.ts';
import { applicationEventVersions } from './application/events.ts';
import { categoryEventVersions } from './category/events.ts';
import { changesetEventVersions } from './changeset/events.ts';
import type { DomainEvent, RecordedEvent } from './event.ts';
import { isConsistent } from './event-shapes.ts';
import { happeningEventVersions } from './happening/events.ts';
import { listEventVersions } from './list/events.ts';
import { orderEventVersions } from './orders/events.ts';
import { pinpointEventVersions } from './pinpoint/events.ts';
import { isHistory } from './streams.ts';
import { undoEventVersions } from './undo/events.ts';

/** The version in which this release writes each event type, if it writes the type; EVENTS.md describes each. */
export const eventVersions: Record<DomainEvent['type'], number> = {
  ...pinpointEventVersions,
  ...listEventVersions,
  ...categoryEventVersions,
  ...happeningEventVersions,
  ...applicationEventVersions,
  ...accountEventVersions,
  ...changesetEventVersions,
  ...orderEventVersions,
  ...undoEventVersions,
};

/** The newest version of every event type that this release reads. The next release may write it. At present, this release writes them all. */
export const versionsRead: Record<DomainEvent['type'], number> = { ...eventVersions };

/** Thrown for an event of a type or version that a newer release wrote. */
export class NewerEvent extends Error {
  constructor(event: RecordedEvent) {
    const { type, version, release } = event.envelope;
    super(
      `${type} v${version} at position ${event.position} was written by Waymark ${release}: that release or a later one is needed to read it.`,
    );
  }
}

/** Returns the content of an event as JSON text. Its type and version go into the envelope. */
export const encode = (event: DomainEvent): string => {
  const { type: _, ...data } = event;
  return JSON.stringify(data);
};

/** Returns the fact of a recorded event, in the newest version of its type. Returns undefined if its content was erased, or if the content
 * contradicts the event's type, its stream or its account: Waymark never writes such an event, so another program did.
 * @throws NewerEvent */
export const decode = (event: RecordedEvent): DomainEvent | undefined => {
  const { type, version } = event.envelope;
  if (!isKnown(type) || version > versionsRead[type]) throw new NewerEvent(event);
  if (event.content === null) return undefined;
  const content = parsed(event.content);
  return isConsistent(event, type, content) ? ({ ...(content as object), type } as DomainEvent) : undefined;
};

/** Returns whether the content of an aggregate's event contradicts the event. Such an event counts as erased. Returns false for an event of
 * a newer release, which this release cannot check. */
export const isContradictory = (event: RecordedEvent): boolean => {
  if (event.content === null || !isHistory(event.stream)) return false;
  try {
    return decode(event) === undefined;
  } catch (error) {
    if (error instanceof NewerEvent) return false;
    throw error;
  }
};

/** Returns the sentence that `verify` reports for such an event. */
export const contradictionAt = ({ stream, revision }: RecordedEvent): string =>
  `${stream}, revision ${revision}: the content contradicts the event's type, stream or account; it counts as erased.`;

const parsed = (content: string): unknown => {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
};

const isKnown = (type: string): type is DomainEvent['type'] => Object.hasOwn(eventVersions, type);
