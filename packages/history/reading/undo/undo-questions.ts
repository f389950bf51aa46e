import type { ChangesToUndo, Values } from '@waymark/domain/undo/plan.ts';
import type { Position } from '@waymark/event-log/event-log.ts';

/** The changes that a job undoes: those of a correlation, of an application, or of both. */
export type UndoScope = {
  readonly correlation: string | null;
  readonly application: string | null;
  /** Changes with an earlier time are left out, in milliseconds since 1970. */
  readonly sinceMs: number;
  /** Changes with a later time are left out; null: none is. */
  readonly untilMs: number | null;
  /** The position of the last event that the job takes into account. */
  readonly through: Position;
};

/** Asks for the changes in a scope before a position, newest first. */
export type ScopeQuestion = {
  readonly type: 'undo-scope';
  readonly account: string;
  readonly scope: UndoScope;
  readonly before: Position;
  readonly limit: number;
};

/** A change that a job undoes. `event`: its id. `time`: ISO 8601, UTC, milliseconds. `cause`: the id of the event that caused it. */
export type ScopedChange = {
  readonly event: string;
  readonly stream: string;
  readonly revision: number;
  readonly actor: string;
  readonly time: string;
  readonly cause: string | null;
};

/** Asks for the place of an event of an account; null: of its last event. */
export type EventQuestion = { readonly type: 'place-of-event'; readonly account: string; readonly event: string | null };

/** `place` is undefined if the account has no such event. */
export type EventReply = {
  readonly outcome: 'place-of-event';
  readonly place: { readonly event: string; readonly position: Position } | undefined;
};

/** A part of the changes in a scope. `next`: the position before which the next part continues; null at the end. A part may be empty. */
export type ScopeReply = { readonly outcome: 'undo-scope'; readonly changes: readonly ScopedChange[]; readonly next: Position | null };

/** A question of an account about what is to be restored or undone in the object of a stream. */
export type UndoQuestion = { readonly account: string; readonly stream: string } & (
  | { readonly type: 'restorable'; readonly revision: number }
  /** `revisions`: of the changes that are to be undone, in ascending order, together with what the job has done to undo them. `job`: given if
   * changes of other objects are undone, too. */
  | { readonly type: 'undoable'; readonly revisions: readonly number[]; readonly job?: UndoJob }
);

/** The members that the changes of a question may add and remove altogether, those of each change counted: an answer takes limited time and
 * memory. */
export const namedMembersMax = 100_000;

/** A job: what it undoes, and the id of its first event, which is the cause of its own changes. */
export type UndoJob = { readonly scope: UndoScope; readonly cause: string };

/** The place of an object in its history to which an answer applies. */
export type UndoPlace = {
  /** The last revision of the object's stream: a decision on the answer is valid only where it is still the last one. */
  readonly last: number;
  /** The id of the event that is restored, or of the first one that is undone. */
  readonly event: string;
  /** The revision that set each of the values that fields may get again. */
  readonly origins: Readonly<Record<string, number>>;
  /** Whether an erasure has begun to restate the object, so that what was before may not come back. */
  readonly isErasing: boolean;
};

export type UndoReply =
  | (UndoPlace & { readonly outcome: 'restorable'; readonly fields: Values })
  | (UndoPlace & { readonly outcome: 'undoable'; readonly changes: ChangesToUndo });
