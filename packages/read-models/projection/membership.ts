import type { Change, Fact, Lookup, Membership } from './change.ts';

/** Returns a membership, shown if the pinpoint is present and of the same account, otherwise hidden. */
export const membershipAt = (pinpoint: number, { account }: Fact, lookup: Lookup): Membership => {
  const place = lookup.place(pinpoint);
  return { pinpoint, shown: place?.present === true && place.account === account };
};

export const membersAdded = (list: number, pinpoints: readonly number[], fact: Fact, lookup: Lookup): readonly Change[] => [
  { type: 'moved', kind: 'list', id: list, revision: fact.revision },
  { type: 'members-added', list, members: pinpoints.map((pinpoint) => membershipAt(pinpoint, fact, lookup)) },
  { type: 'counted', pinpoints, lists: 1, happenings: 0 },
];

export const membersRemoved = (list: number, pinpoints: readonly number[], { revision }: Fact): readonly Change[] => [
  { type: 'moved', kind: 'list', id: list, revision },
  { type: 'members-removed', list, pinpoints },
  { type: 'counted', pinpoints, lists: -1, happenings: 0 },
];

/** Makes exactly these pinpoints members, whichever were members before. */
export const membersRestated = (list: number, pinpoints: readonly number[], fact: Fact, lookup: Lookup): readonly Change[] => {
  const before = lookup.members(list);
  const after = new Set(pinpoints);
  const gone = [...before].filter((pinpoint) => !after.has(pinpoint));
  const fresh = pinpoints.filter((pinpoint) => !before.has(pinpoint));
  return [
    { type: 'members-removed', list, pinpoints: gone },
    { type: 'counted', pinpoints: gone, lists: -1, happenings: 0 },
    { type: 'members-added', list, members: fresh.map((pinpoint) => membershipAt(pinpoint, fact, lookup)) },
    { type: 'counted', pinpoints: fresh, lists: 1, happenings: 0 },
  ];
};
