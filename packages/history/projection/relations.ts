import type { DomainEvent } from '@waymark/domain/event.ts';
import { resourceOfStream, resourceStream } from '@waymark/domain/streams.ts';
import type { HistoryEntry, LastState } from '../entries.ts';
import { membersOf } from '../sets.ts';
import type { HistoryChange, Lookup } from './change.ts';
import { placeChanges } from './places.ts';

/** Returns the changes of the relations between objects that an event makes: of memberships, of the places of happenings, and of orders
 * about an object. */
export const relationChanges = (
  entry: HistoryEntry,
  says: DomainEvent | undefined,
  before: LastState | undefined,
  lookup: Lookup,
): readonly HistoryChange[] => {
  switch (says?.type) {
    case 'PinpointsAdded':
      return distinct(says.pinpoints).flatMap((pinpoint) => memberAdded(says.list, pinpoint, entry, lookup));
    case 'PinpointsRemoved':
      return distinct(says.pinpoints).flatMap((pinpoint) => memberRemoved(says.list, pinpoint, entry, lookup));
    case 'ListMembersRestated':
      return membersRestated(says, entry, lookup);
    case 'ListRedacted':
      return 'members' in says ? membersRestated({ ...says, from: 0, to: Number.MAX_SAFE_INTEGER }, entry, lookup) : [];
    case 'ErasureOrdered':
    case 'HoldPlaced':
    case 'HoldReleased':
      return ordered(says.object, says.type === 'HoldPlaced', entry, lookup);
    default:
      return changesByKind(entry, says, before, lookup);
  }
};

const changesByKind = (
  entry: HistoryEntry,
  says: DomainEvent | undefined,
  before: LastState | undefined,
  lookup: Lookup,
): readonly HistoryChange[] => {
  const { resource, id } = resourceOfStream(entry.stream) ?? {};
  if (id === undefined) return [];
  if (resource === 'happening') return placeChanges(id, entry, says, lookup);
  return resource === 'pinpoint' ? membershipsOfPinpoint(id, entry, before, lookup) : [];
};

const distinct = (ids: readonly number[]): readonly number[] => [...new Set(ids)];

/** Ends the memberships of a pinpoint that is deleted, and begins those of one that is restored. */
const membershipsOfPinpoint = (
  pinpoint: number,
  entry: HistoryEntry,
  before: LastState | undefined,
  lookup: Lookup,
): readonly HistoryChange[] => {
  if (before === undefined || before.present === entry.present) return [];
  return lookup
    .lists(pinpoint)
    .filter((list) => lookup.last(resourceStream('list', list))?.account === entry.account)
    .flatMap((list) => [
      entry.present ? began(list, pinpoint, entry) : ended(list, pinpoint, entry),
      related(resourceStream('list', list), entry, entry.present),
    ]);
};

const memberAdded = (list: number, pinpoint: number, entry: HistoryEntry, lookup: Lookup): readonly HistoryChange[] => {
  const changes = memberRestated(list, pinpoint, entry, lookup);
  return changes.some(({ type }) => type === 'began') ? [...changes, related(resourceStream('pinpoint', pinpoint), entry, true)] : changes;
};

type Restated = { readonly list: number; readonly from: number; readonly to: number; readonly members: readonly number[] };

/** Restates the members of a list whose ids are in a range. Others are members no longer: the events that removed them were erased. */
const membersRestated = ({ list, from, to, members }: Restated, entry: HistoryEntry, lookup: Lookup): readonly HistoryChange[] => {
  const restated = new Set(members);
  const gone = lookup.members(list, from, to).filter((pinpoint) => !restated.has(pinpoint));
  return [
    ...gone.flatMap((pinpoint) => memberGone(list, pinpoint, entry, lookup)),
    ...distinct(members).flatMap((pinpoint) => memberRestated(list, pinpoint, entry, lookup)),
  ];
};

const memberGone = (list: number, pinpoint: number, entry: HistoryEntry, lookup: Lookup): readonly HistoryChange[] => {
  const member: HistoryChange = { type: 'member', list, pinpoint, isMember: false };
  return isShown(pinpoint, entry, lookup) ? [member, ended(list, pinpoint, entry)] : [member];
};

/** Restates a member. It has no effect where the pinpoint is a member already. */
const memberRestated = (list: number, pinpoint: number, entry: HistoryEntry, lookup: Lookup): readonly HistoryChange[] => {
  if (lookup.isMember(list, pinpoint)) return [];
  const member: HistoryChange = { type: 'member', list, pinpoint, isMember: true };
  return isShown(pinpoint, entry, lookup) ? [member, began(list, pinpoint, entry)] : [member];
};

const memberRemoved = (list: number, pinpoint: number, entry: HistoryEntry, lookup: Lookup): readonly HistoryChange[] => {
  if (!lookup.isMember(list, pinpoint)) return [];
  const member: HistoryChange = { type: 'member', list, pinpoint, isMember: false };
  if (!isShown(pinpoint, entry, lookup)) return [member];
  return [member, ended(list, pinpoint, entry), related(resourceStream('pinpoint', pinpoint), entry, false)];
};

const isShown = (pinpoint: number, { account }: HistoryEntry, lookup: Lookup): boolean => {
  const state = lookup.last(resourceStream('pinpoint', pinpoint));
  return state?.present === true && state.account === account;
};

const ordered = (object: string, began: boolean, entry: HistoryEntry, lookup: Lookup): readonly HistoryChange[] =>
  lookup.last(object)?.account === entry.account ? [related(object, entry, began)] : [];

const began = (list: number, pinpoint: number, { position }: HistoryEntry): HistoryChange => ({
  type: 'began',
  interval: { set: membersOf(list), item: pinpoint, since: position },
  of: resourceStream('pinpoint', pinpoint),
});

const ended = (list: number, pinpoint: number, { position }: HistoryEntry): HistoryChange => ({
  type: 'ended',
  interval: { set: membersOf(list), item: pinpoint, until: position },
});

const related = (stream: string, { position, stream: other }: HistoryEntry, began: boolean): HistoryChange => ({
  type: 'related',
  change: { stream, position, other, began },
});
