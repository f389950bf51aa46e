import type { HappeningFields } from '@waymark/domain/happening/events.ts';
import type { Change, Fact, Lookup, Put } from './change.ts';
import { deleted, edited, happenings, restateDocument, restored } from './document.ts';
import { membershipAt } from './membership.ts';

/** Puts a new happening at its pinpoint. */
export const happeningPlaced = (creation: Put, pinpoint: number, lookup: Lookup): readonly Change[] => [
  { ...creation, document: { ...creation.document, ...membershipAt(pinpoint, creation.document, lookup) } },
  counted(pinpoint, 1),
];

/** Edits a happening. A happening that moves is shown if its new pinpoint is present; its old pinpoint does not matter. */
export const happeningEdited = (id: number, fields: Partial<HappeningFields>, fact: Fact, lookup: Lookup): readonly Change[] => {
  if (fields.pinpoint === undefined) return [edited(happenings, id, fields, fact, lookup)];
  const change = edited(happenings, id, fields, fact, lookup, membershipAt(fields.pinpoint, fact, lookup));
  return change.type === 'put' ? [change, ...countLeft(change), counted(fields.pinpoint, 1)] : [change];
};

export const happeningDeleted = (id: number, fact: Fact, lookup: Lookup): readonly Change[] => {
  const change = deleted('happening', id, fact, lookup);
  return change.type === 'put' ? [change, ...countLeft(change)] : [change];
};

export const happeningRestored = (id: number, fields: HappeningFields, fact: Fact, lookup: Lookup): readonly Change[] => {
  const change = restored(happenings, id, fields, fact, lookup, membershipAt(fields.pinpoint, fact, lookup));
  if (change.type !== 'put') return [change];
  return [change, ...(change.before?.present ? countLeft(change) : []), counted(fields.pinpoint, 1)];
};

/** Restates a happening. If it was counted already, the old count is subtracted first. */
export const happeningRestated = (
  id: number,
  fields: HappeningFields | null,
  pinpoint: number,
  fact: Fact,
  lookup: Lookup,
): readonly Change[] => {
  const change = restateDocument(happenings, id, fields, fact, lookup, membershipAt(pinpoint, fact, lookup));
  const leaves = change.before?.present ? countLeft(change) : [];
  return [change, ...leaves, ...(fields === null ? [] : [counted(pinpoint, 1)])];
};

const counted = (pinpoint: number, happenings: number): Change => ({
  type: 'counted',
  pinpoints: [pinpoint],
  lists: 0,
  happenings,
});

/** Subtracts one from the count of the pinpoint that the happening left. */
const countLeft = ({ before }: Put): readonly Change[] => (before && before.pinpoint !== null ? [counted(before.pinpoint, -1)] : []);
