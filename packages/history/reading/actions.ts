import type { DomainEvent } from '@waymark/domain/event.ts';

/** What each type of event does to its own object, as readers get it. */
const ownActions: Readonly<Record<DomainEvent['type'], string>> = {
  PinpointCreated: 'created',
  PinpointEdited: 'edited',
  PinpointDeleted: 'deleted',
  PinpointRestored: 'restored',
  PinpointRedacted: 'erased',
  ListCreated: 'created',
  ListEdited: 'edited',
  ListDeleted: 'deleted',
  ListRestored: 'restored',
  ListMembersRestated: 'members_restated',
  ListRedacted: 'erased',
  PinpointsAdded: 'members_added',
  PinpointsRemoved: 'members_removed',
  CategoryCreated: 'created',
  CategoryEdited: 'edited',
  CategoryRedacted: 'erased',
  HappeningCreated: 'created',
  HappeningEdited: 'edited',
  HappeningDeleted: 'deleted',
  HappeningRestored: 'restored',
  HappeningRedacted: 'erased',
  ApplicationRegistered: 'created',
  SecretAdded: 'secret_added',
  SecretDropped: 'secret_dropped',
  ApplicationSuspended: 'suspended',
  ApplicationResumed: 'resumed',
  ApplicationDeleted: 'deleted',
  ApplicationScopesChanged: 'scopes_changed',
  ApplicationRedacted: 'erased',
  AccountOpened: 'created',
  ChangesetOpened: 'created',
  ChangesetRedacted: 'erased',
  ErasureOrdered: 'erasure_ordered',
  HoldPlaced: 'hold_placed',
  HoldReleased: 'hold_released',
  UndoStarted: 'undo_started',
  UndoReported: 'undo_reported',
  UndoEnded: 'undo_ended',
};

/** Returns the types of events that do this to the object of their stream. */
export const typesOfAction = (action: string): readonly string[] =>
  Object.entries(ownActions).flatMap(([type, one]) => (one === action ? [type] : []));

/** Returns what an event did to the object of its own stream. */
export const ownAction = (type: string): string => ownActions[type as DomainEvent['type']];

/** Returns what an event of another object did to an object.
 * @param began whether the relation between them began; undefined if it did not change, but the other object was deleted or restored */
export const otherAction = (type: string, began: boolean | undefined): string => {
  switch (type as DomainEvent['type']) {
    case 'PinpointsAdded':
      return 'added_to_list';
    case 'PinpointsRemoved':
      return 'removed_from_list';
    case 'ListDeleted':
      return 'list_deleted';
    case 'ListRestored':
      return 'list_restored';
    case 'PinpointDeleted':
      return began === undefined ? 'pinpoint_deleted' : 'member_deleted';
    case 'PinpointRestored':
      return began === undefined ? 'pinpoint_restored' : 'member_restored';
    case 'HappeningCreated':
    case 'HappeningEdited':
    case 'HappeningDeleted':
    case 'HappeningRestored':
      return began === true ? 'event_added' : 'event_removed';
    default:
      return ownAction(type);
  }
};
