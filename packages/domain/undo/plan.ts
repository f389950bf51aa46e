import { changes, isEmpty, isFile } from '../fields.ts';
import type { ResourceKind } from '../streams.ts';

/** The values of an object's fields by name, as events store them. */
export type Values = Readonly<Record<string, unknown>>;

/** Changes of one object that are to be undone, and what has become of them, all at one revision of the object's stream. */
export type ChangesToUndo = {
  readonly kind: ResourceKind;
  /** Whether the object is present. */
  readonly present: boolean;
  /** Given if one of the changes created the object, deleted it or brought it back. */
  readonly presence: ChangedPresence | undefined;
  /** Whether the changes created the object or brought it back, and others have changed it before the last of them. */
  readonly isShared: boolean;
  /** All fields as they are, or as they were when the object was deleted. */
  readonly current: Values;
  /** The fields that only the changes to undo have set last, with the values that they had before. */
  readonly before: Values;
  /** The names of the fields that the changes set, and that others have set since. */
  readonly setSince: readonly string[];
  /** The events among the changes that added or removed members, in their order. */
  readonly memberships: readonly ChangedMembers[];
};

export type ChangedPresence = {
  /** Whether the object was present before the changes. */
  readonly before: boolean;
  /** Whether others have changed the object after the last of the changes that created it, deleted it or brought it back. */
  readonly isChangedSince: boolean;
  /** Whether others have added the object to a list, removed it from one, or referred to it, after that change. */
  readonly isUsedSince: boolean;
};

export type ChangedMembers = {
  /** The revision of the event. */
  readonly revision: number;
  readonly added: readonly number[];
  readonly removed: readonly number[];
  /** Those pinpoints whose membership others have changed since. */
  readonly changedSince: readonly number[];
};

/** What a plan needs to know of other objects. */
export type Surroundings = {
  /** The names of files that are not stored any more. */
  readonly missingFiles: ReadonlySet<string>;
  /** The members of the list, of the pinpoints that were added or removed. */
  readonly members: ReadonlySet<number>;
  /** Those of the pinpoints that exist, and those that are in as many lists as they may be. */
  readonly pinpoints: ReadonlySet<number>;
  readonly full: ReadonlySet<number>;
};

/** Why something is not undone. Stored in events, and sent to clients: never rename one. */
export type KeptReason =
  /** Others have changed the same since. */
  | 'changed-since'
  /** The object, or a pinpoint that would be a member again, was deleted since. */
  | 'deleted-since'
  /** A pinpoint that would be deleted was added to a list, or an event takes place there. */
  | 'in-use'
  /** Objects of this kind are never deleted. */
  | 'never-deleted'
  /** A file is not stored any more. */
  | 'file-missing'
  /** The pinpoint where the event takes place is deleted. */
  | 'pinpoint-deleted'
  /** The pinpoint has as many lists, or as many events, as it may have. */
  | 'limit';

/** What is kept as it is. `reason` is null if nothing is. */
export type Kept = {
  readonly reason: KeptReason | null;
  readonly fields: readonly string[];
  readonly pinpoints: readonly number[];
};

/** A change of the object that becomes one event. `undoes`: the revision of the event whose members it takes back. */
export type UndoStep =
  /** Sets all fields, and brings the object back if it is deleted. */
  | { readonly type: 'restore'; readonly fields: Values }
  | { readonly type: 'edit'; readonly fields: Values }
  | { readonly type: 'delete' }
  | { readonly type: 'add'; readonly undoes: number; readonly pinpoints: readonly number[] }
  | { readonly type: 'remove'; readonly undoes: number; readonly pinpoints: readonly number[] };

export type UndoPlan = { readonly steps: readonly UndoStep[]; readonly kept: Kept };

export const nothingKept: Kept = { reason: null, fields: [], pinpoints: [] };

const keeping = (reason: KeptReason, fields: readonly string[] = []): UndoPlan => ({
  steps: [],
  kept: { ...nothingKept, reason, fields },
});

/** Plans to undo changes of an object, and to keep what others have changed since. */
export const planUndo = (undone: ChangesToUndo, surroundings: Surroundings): UndoPlan => {
  const { presence, present, isShared } = undone;
  if (isShared && present) return keeping('changed-since');
  if (presence === undefined) return present ? undoContent(undone, surroundings) : keeping('deleted-since');
  if (presence.isChangedSince) return keeping(present ? 'changed-since' : 'deleted-since');
  if (presence.before === present) return present ? undoContent(undone, surroundings) : { steps: [], kept: nothingKept };
  if (present) return deletion(undone.kind, presence);
  return bringBack(undone, surroundings);
};

/** A list that is brought back has the members that it had, of which others of the changes may have added some. */
const bringBack = (undone: ChangesToUndo, surroundings: Surroundings): UndoPlan => {
  const restored = planRestore({ ...undone.current, ...undone.before }, surroundings);
  if (restored.steps.length === 0) return restored;
  const plan = allOf([restored, ...undone.memberships.map((change) => undoMembers(change, surroundings))]);
  const reason = undone.isShared ? 'changed-since' : plan.kept.reason;
  return { ...plan, kept: { ...plan.kept, reason } };
};

/** Plans to set all fields of an object to earlier values. */
export const planRestore = (fields: Values, { missingFiles }: Pick<Surroundings, 'missingFiles'>): UndoPlan => {
  const missing = Object.keys(fields).filter((name) => isMissing(fields[name], missingFiles));
  return missing.length > 0 ? keeping('file-missing', missing) : { steps: [{ type: 'restore', fields }], kept: nothingKept };
};

const deletion = (kind: ResourceKind, { isUsedSince }: ChangedPresence): UndoPlan => {
  if (kind === 'category') return keeping('never-deleted');
  return isUsedSince ? keeping('in-use') : { steps: [{ type: 'delete' }], kept: nothingKept };
};

const undoContent = (undone: ChangesToUndo, surroundings: Surroundings): UndoPlan =>
  allOf([undoFields(undone, surroundings), ...undone.memberships.map((change) => undoMembers(change, surroundings))]);

const allOf = (plans: readonly UndoPlan[]): UndoPlan => ({
  steps: plans.flatMap(({ steps }) => steps),
  kept: plans.map(({ kept }) => kept).reduce(together),
});

const together = (one: Kept, other: Kept): Kept => ({
  reason: one.reason ?? other.reason,
  fields: [...one.fields, ...other.fields],
  pinpoints: [...new Set([...one.pinpoints, ...other.pinpoints])],
});

const undoFields = ({ current, before, setSince }: ChangesToUndo, { missingFiles }: Surroundings): UndoPlan => {
  const changed = changes(current, before);
  const missing = Object.keys(changed).filter((name) => isMissing(changed[name], missingFiles));
  const fields = Object.fromEntries(Object.entries(changed).filter(([name]) => !missing.includes(name)));
  const reason = setSince.length > 0 ? 'changed-since' : missing.length > 0 ? 'file-missing' : null;
  return { steps: isEmpty(fields) ? [] : [{ type: 'edit', fields }], kept: { ...nothingKept, reason, fields: [...setSince, ...missing] } };
};

const isMissing = (value: unknown, missingFiles: ReadonlySet<string>): boolean => isFile(value) && missingFiles.has(value.name);

/** Undoes the memberships that an event began and ended. An event does one of both. */
const undoMembers = ({ revision, added, removed, changedSince }: ChangedMembers, { members, pinpoints, full }: Surroundings): UndoPlan => {
  const since = new Set(changedSince);
  const kept = new Map<number, KeptReason>();
  for (const id of added) if (since.has(id) || !members.has(id)) kept.set(id, 'changed-since');
  for (const id of removed) {
    if (since.has(id) || members.has(id)) kept.set(id, 'changed-since');
    else if (!pinpoints.has(id)) kept.set(id, 'deleted-since');
    else if (full.has(id)) kept.set(id, 'limit');
  }
  const [reason = null] = kept.values();
  return {
    steps: [...membersStep('remove', revision, added, kept), ...membersStep('add', revision, removed, kept)],
    kept: { ...nothingKept, reason, pinpoints: [...kept.keys()] },
  };
};

const membersStep = (
  type: 'add' | 'remove',
  undoes: number,
  ids: readonly number[],
  kept: ReadonlyMap<number, KeptReason>,
): readonly UndoStep[] => {
  const pinpoints = ids.filter((id) => !kept.has(id));
  return pinpoints.length === 0 ? [] : [{ type, undoes, pinpoints }];
};
