import type { Position } from '@waymark/event-log/event-log.ts';

/** The values of an object's fields by name, as events store them. A list's entries may also have `added` and `removed`: ids of members. */
export type Values = Readonly<Record<string, unknown>>;

/** What one event did to the object of its stream. */
export type HistoryEntry = {
  readonly position: Position;
  readonly account: string;
  readonly stream: string;
  readonly revision: number;
  /** The id of the event. */
  readonly event: string;
  readonly type: string;
  /** ISO 8601, UTC, milliseconds. */
  readonly time: string;
  /** The latest time of all events of the account up to this one, in milliseconds since 1970. It rises with positions; `time` may not. */
  readonly clockMs: number;
  readonly actor: string;
  readonly request: string | null;
  readonly correlation: string;
  readonly cause: string | null;
  /** Whether the object is present after the event. */
  readonly present: boolean;
  /** How far the event moved the object, in metres; null if it did not, or if that was erased. */
  readonly movedMetres: number | null;
  /** The revision that set each field. A field that was never set, or whose value was erased, is missing. */
  readonly origins: Readonly<Record<string, number>>;
};

/** The state of an object after its last entry. */
export type LastState = Pick<HistoryEntry, 'account' | 'revision' | 'present' | 'origins'>;

/** The time during which an item is in a set: an object among those of its kind in an account, a pinpoint among the members of a list, a
 * happening at a pinpoint. A membership or a stay ends while the pinpoint is deleted only where `set` is a list. */
export type Interval = {
  readonly set: string;
  readonly item: number;
  /** The position of the first event after which the item is in the set. */
  readonly since: Position;
  /** The position of the event that ended it; null if it goes on. */
  readonly until: Position | null;
};

/** A relation of an object to another one that an event of the other one began or ended: of a pinpoint, with a list or a happening; of a
 * list, with a pinpoint that was deleted or restored. */
export type RelationChange = {
  readonly stream: string;
  /** The position of the event. */
  readonly position: Position;
  /** The stream of the event. */
  readonly other: string;
  readonly began: boolean;
};

/** The mark of an erasure: the values of a stream before a revision count no longer, and no revision before the erasure is a version. */
export type ErasureMark = {
  readonly stream: string;
  /** The values before this revision were erased. */
  readonly before: number;
  /** The position of the first event that was not erased. */
  readonly from: Position;
  /** The revision and the position of the event that completed the erasure. */
  readonly revision: number;
  readonly position: Position;
};
