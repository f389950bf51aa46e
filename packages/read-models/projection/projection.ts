import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { decode } from '@waymark/domain/event-types.ts';
import { isHistory } from '@waymark/domain/streams.ts';
import { applicationChanged } from './application.ts';
import type { Store } from './buffer.ts';
import type { Change, Fact, Lookup, ProjectedEvent } from './change.ts';
import { creationOf, placed } from './creation.ts';
import { categories, deleted, edited, lists, pinpoints, restateDocument, restored } from './document.ts';
import { deletionBy, erased } from './erased.ts';
import { happeningDeleted, happeningEdited, happeningRestated, happeningRestored } from './happening.ts';
import { allMembers, membersAdded, membersOfRangeRestated, membersRemoved, membersRestated } from './membership.ts';
import { pinpointDeleted, pinpointRestored } from './pinpoint.ts';

/** The version of the projection. Raise it with every change, here or in a view, that creates other documents from the same log. Read
 * models of another version are not used but rebuilt. */
export const projectionVersion = 3;

/** Called with each event whose content contradicts it (see `decode`). */
export type ContradictoryEvent = (event: RecordedEvent) => void;

/** Returns the fact of an event; undefined for an event that changes no document, and for housekeeping, which is in no account's order.
 * @throws NewerEvent */
export const factOf = (event: RecordedEvent, contradicted?: ContradictoryEvent): Fact | undefined => {
  const { stream, revision, envelope } = event;
  if (!isHistory(stream)) return undefined;
  const { account, type } = envelope;
  const says = decode(event);
  if (says === undefined && event.content !== null) contradicted?.(event);
  if (says !== undefined && !isAboutDocument(says)) return undefined;
  return { stream, revision, account, type, event: says ?? deletionBy(event) };
};

/** Creates a function that writes the changes of events to a store.
 * @throws NewerEvent */
export const projectEvents =
  ({ lookup, write }: Store, contradicted?: ContradictoryEvent) =>
  (events: readonly RecordedEvent[]): void => {
    for (const event of events) {
      const fact = factOf(event, contradicted);
      if (fact) for (const change of project(fact, lookup)) write(change);
    }
  };

const isAboutDocument = (event: DomainEvent): event is ProjectedEvent => !('changeset' in event || 'object' in event || 'undo' in event);

/** Returns all changes of a fact, including their consequences, so that no reader ever sees half of them. They are limited: one or two
 * documents, the members that the event names, or the memberships and happenings of one pinpoint. It is long because it lists every type. */
export const project = (fact: Fact, lookup: Lookup): readonly Change[] => {
  const { event: says } = fact;
  switch (says?.type) {
    case 'PinpointCreated':
    case 'ListCreated':
    case 'CategoryCreated':
    case 'HappeningCreated':
      return placed(creationOf(says, fact), lookup);
    case 'PinpointEdited':
      return [edited(pinpoints, says.pinpoint, says.fields, fact, lookup)];
    case 'PinpointDeleted':
      return pinpointDeleted(says.pinpoint, fact, lookup);
    case 'PinpointRestored':
      return pinpointRestored(says.pinpoint, says.fields, fact, lookup);
    case 'PinpointRedacted':
      return [restateDocument(pinpoints, says.pinpoint, says.fields, fact, lookup)];
    case 'ListEdited':
      return [edited(lists, says.list, says.fields, fact, lookup)];
    case 'ListDeleted':
      return [deleted('list', says.list, fact, lookup)];
    case 'ListRestored':
      return [restored(lists, says.list, says.fields, fact, lookup)];
    case 'ListMembersRestated':
      return membersOfRangeRestated(says, says.members, fact, lookup);
    case 'ListRedacted':
      return [
        restateDocument(lists, says.list, says.fields, fact, lookup),
        ...('members' in says ? membersRestated(allMembers(says.list), says.members, fact, lookup) : []),
      ];
    case 'PinpointsAdded':
      return membersAdded(says.list, says.pinpoints, fact, lookup);
    case 'PinpointsRemoved':
      return membersRemoved(says.list, says.pinpoints, fact, lookup);
    case 'CategoryEdited':
      return [edited(categories, says.category, says.fields, fact, lookup)];
    case 'CategoryRedacted':
      return [restateDocument(categories, says.category, says.fields, fact, lookup)];
    case 'HappeningEdited':
      return happeningEdited(says.happening, says.fields, fact, lookup);
    case 'HappeningDeleted':
      return happeningDeleted(says.happening, fact, lookup);
    case 'HappeningRestored':
      return happeningRestored(says.happening, says.fields, fact, lookup);
    case 'HappeningRedacted':
      return happeningRestated(says.happening, says.fields, says.pinpoint, fact, lookup);
    case 'ApplicationRegistered':
    case 'SecretAdded':
    case 'SecretDropped':
    case 'ApplicationSuspended':
    case 'ApplicationResumed':
    case 'ApplicationDeleted':
    case 'ApplicationScopesChanged':
    case 'ApplicationRedacted':
      return applicationChanged(says, fact, lookup);
    case 'AccountOpened':
      return [];
    case undefined:
      return erased(fact, lookup);
  }
};
