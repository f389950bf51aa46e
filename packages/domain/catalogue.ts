import { accountEventVersions } from './account/events.ts';
import { applicationEventVersions } from './application/events.ts';
import { categoryEventVersions } from './category/events.ts';
import type { DomainEvent, RecordedEvent } from './event.ts';
import { happeningEventVersions } from './happening/events.ts';
import { listEventVersions } from './list/events.ts';
import { pinpointEventVersions } from './pinpoint/events.ts';

/** The version of every event type that this release writes; EVENTS.md describes each. */
export const eventVersions: Record<DomainEvent['type'], number> = {
  ...pinpointEventVersions,
  ...listEventVersions,
  ...categoryEventVersions,
  ...happeningEventVersions,
  ...applicationEventVersions,
  ...accountEventVersions,
};

/** An event of a type or version that a newer release wrote. */
export class NewerEvent extends Error {
  constructor(event: RecordedEvent) {
    const { type, version, release } = event.envelope;
    super(
      `${type} v${version} at position ${event.position} was written by Waymark ${release}: that release or a later one is needed to read it.`,
    );
  }
}

/** The content of an event as JSON text; its type and version go into the envelope. */
export const encode = (event: DomainEvent): string => {
  const { type: _, ...data } = event;
  return JSON.stringify(data);
};

/** The fact that a recorded event states, as the newest version of its type. Undefined once its content was erased.
 * @throws NewerEvent */
export const decode = (event: RecordedEvent): DomainEvent | undefined => {
  const { type, version } = event.envelope;
  if (!isKnown(type) || version > eventVersions[type]) throw new NewerEvent(event);
  return event.content === null ? undefined : { type, ...JSON.parse(event.content) };
};

const isKnown = (type: string): type is DomainEvent['type'] => Object.hasOwn(eventVersions, type);
