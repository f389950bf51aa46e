import type { Change, Fact, Lookup, MemberRange, Membership } from './change.ts';

/** Returns a membership, shown if the pinpoint is present and of the same account, otherwise hidden. */
export const membershipAt = (pinpoint: number, { account }: Pick<Fact, 'account'>, lookup: Lookup): Membership => {
  const place = lookup.place(pinpoint);
  return { pinpoint, shown: place?.present === true && place.account === account };
};

/** Adds members. After an erasure, a pinpoint may be a member already, because its removal was erased: then it is not counted again. */
export const membersAdded = (list: number, pinpoints: readonly number[], fact: Fact, lookup: Lookup): readonly Change[] => {
  const fresh = [...new Set(pinpoints)].filter((pinpoint) => !lookup.isMember(list, pinpoint));
  return [
    { type: 'moved', kind: 'list', id: list, revision: fact.revision },
    { type: 'members-added', list, members: fresh.map((pinpoint) => membershipAt(pinpoint, fact, lookup)) },
    { type: 'counted', pinpoints: fresh, lists: 1, happenings: 0 },
  ];
};

/** Removes members. After an erasure, the event may come before the one that restates a member: then it removes and counts nothing. */
export const membersRemoved = (list: number, pinpoints: readonly number[], { revision }: Fact, lookup: Lookup): readonly Change[] => {
  const members = [...new Set(pinpoints)].filter((pinpoint) => lookup.isMember(list, pinpoint));
  return [
    { type: 'moved', kind: 'list', id: list, revision },
    { type: 'members-removed', list, pinpoints: members },
    { type: 'counted', pinpoints: members, lists: -1, happenings: 0 },
  ];
};

/** Returns the range of all members of a list. */
export const allMembers = (list: number): MemberRange => ({ list, from: 1, to: Number.MAX_SAFE_INTEGER });

/** Makes exactly these pinpoints members of a range of ids, whichever were members before. */
export const membersRestated = (range: MemberRange, pinpoints: readonly number[], fact: Fact, lookup: Lookup): readonly Change[] => {
  const { list } = range;
  const before = lookup.members(range);
  const after = new Set(pinpoints);
  const gone = [...before].filter((pinpoint) => !after.has(pinpoint));
  const fresh = [...after].filter((pinpoint) => !before.has(pinpoint));
  return [
    { type: 'members-removed', list, pinpoints: gone },
    { type: 'counted', pinpoints: gone, lists: -1, happenings: 0 },
    { type: 'members-added', list, members: fresh.map((pinpoint) => membershipAt(pinpoint, fact, lookup)) },
    { type: 'counted', pinpoints: fresh, lists: 1, happenings: 0 },
  ];
};

export const membersOfRangeRestated = (range: MemberRange, pinpoints: readonly number[], fact: Fact, lookup: Lookup): readonly Change[] => [
  { type: 'moved', kind: 'list', id: range.list, revision: fact.revision },
  ...membersRestated(range, pinpoints, fact, lookup),
];
