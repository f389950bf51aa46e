import type { RecordedEvent } from '@waymark/domain/event.ts';
import { Unavailable } from '@waymark/domain/unavailable.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { ReadPosition } from '@waymark/read-models/read-models.ts';
import type { ErasureMark, HistoryEntry, Interval, LastState, RelationChange, Values } from './entries.ts';

/** The history is unavailable, or not complete yet. */
export class HistoryUnavailable extends Unavailable {}

/** Erased content cannot be removed now, because something else reads it. */
export class HistoryIsRead extends HistoryUnavailable {}

/** What happened to every object, computed from the log: always an exact prefix of the log. */
export type History = {
  /** Runs reads that all see the same position.
   * @throws HistoryUnavailable, what `use` throws */
  readonly read: <Value>(use: (reads: HistoryReads) => Promise<Value>) => Promise<Value>;
  /** Returns the position of a partition; undefined where nothing was applied yet.
   * @throws HistoryUnavailable */
  readonly position: (partition: number) => Promise<ReadPosition | undefined>;
  /** Applies the events between two positions and moves the position, in one transaction, if the position is still `after` in the same log.
   * Before the first application `after` is 0. Housekeeping events are ignored. Returns false if the position was another one, and then
   * changes nothing.
   * @throws NewerEvent, HistoryUnavailable */
  readonly apply: (partition: number, after: number, events: readonly RecordedEvent[], to: ReadPosition) => Promise<boolean>;
  /** Deletes a bounded part of what erasures have left. No read returns it even before. Returns whether more is left.
   * @throws HistoryUnavailable */
  readonly clean: () => Promise<boolean>;
};

/** The reads of a history at one position. Reads that are begun in one turn of the event loop may share a query: what a page needs for each of
 * its items should be asked for at once. */
export type HistoryReads = {
  /** Returns the entries of a stream before a position, newest first. */
  readonly entries: (stream: string, before: Position, limit: number) => Promise<readonly HistoryEntry[]>;
  /** Returns the entries at some revisions of a stream, in ascending order, each once. Revisions that the stream does not have are left out. */
  readonly entriesAt: (stream: string, revisions: readonly number[]) => Promise<readonly HistoryEntry[]>;
  /** Returns the values that the events at some revisions of a stream set, by revision. Revisions whose values were erased are left out. */
  readonly values: (stream: string, revisions: readonly number[]) => Promise<ReadonlyMap<number, Values>>;
  /** Returns the entries at some positions, in ascending order, each once. */
  readonly entriesAtPositions: (positions: readonly Position[]) => Promise<readonly HistoryEntry[]>;
  /** Returns the states of objects after their last entries, by stream. */
  readonly lastStates: (streams: readonly string[]) => Promise<ReadonlyMap<string, LastState>>;
  /** Returns the last entry of each stream at or before a position, by stream. */
  readonly lastEntries: (streams: readonly string[], through: Position) => Promise<ReadonlyMap<string, HistoryEntry>>;
  /** Returns the changes of an object's relations before a position, newest first. */
  readonly relationChanges: (stream: string, before: Position, limit: number) => Promise<readonly RelationChange[]>;
  /** Returns the intervals of an object in the sets of other objects that reach into a range of positions, by set, in the order of their
   * beginnings: of a pinpoint, its memberships; of a happening, its stays at pinpoints. */
  readonly intervalsOf: (stream: string, range: PositionRange) => Promise<readonly Interval[]>;
  /** Returns the intervals of an item in a set that reach into a range of positions, in the order of their beginnings.
   * @param limit how many it returns at most: the last ones */
  readonly intervalsIn: (set: string, item: number, range: PositionRange, limit?: number) => Promise<readonly Interval[]>;
  /** Returns those of some items that were in a set at a position: their intervals, by id. */
  readonly intervalsAt: (set: string, items: readonly number[], at: Position) => Promise<ReadonlyMap<number, Interval>>;
  /** Returns sets of other objects that an object was in at a position, in ascending order: of a pinpoint, its lists.
   * @param limit the number of index entries after which it ends */
  readonly setsAt: (stream: string, at: Position, limit: number) => Promise<SetsAt>;
  /** Returns the items that were in a set at a position, by id, from one id on. */
  readonly itemsAt: (set: string, walk: Walk) => Promise<ItemsAt>;
  /** Returns the last entry of an account at or before a time, in the order of positions: all entries of the account up to it have such times.
   * @param timeMs milliseconds since 1970 */
  readonly entryAt: (account: string, timeMs: number) => Promise<HistoryEntry | undefined>;
  /** Returns entries of an account, newest first. */
  readonly activity: (account: string, query: ActivityQuery) => Promise<Activity>;
  /** Returns entries of an account after a position, oldest first. */
  readonly laterActivity: (account: string, query: LaterQuery) => Promise<LaterActivity>;
  /** Returns the entry of an event. */
  readonly entryOf: (event: string) => Promise<HistoryEntry | undefined>;
  /** Returns the mark of a stream's last erasure. */
  readonly erased: (stream: string) => Promise<ErasureMark | undefined>;
};

/** What entries must have in common. A property that is missing filters nothing. */
export type ActivityFilter = {
  readonly stream?: string;
  /** What the names of the streams begin with. */
  readonly streams?: string;
  readonly actor?: string;
  readonly types?: readonly string[];
  readonly correlation?: string;
  /** Ids of requests, one of which the entries have. */
  readonly requests?: readonly string[];
  /** A field that the event set. */
  readonly field?: string;
  /** Only events that moved their object by more than this distance, in metres. */
  readonly movedMetres?: number;
};

export type ActivityQuery = {
  /** Only entries before this position. */
  readonly before: Position;
  /** Entries with an earlier time are left out, in milliseconds since 1970. */
  readonly sinceMs: number;
  /** Entries with a later time are left out; null: none is. */
  readonly untilMs: number | null;
  readonly filter: ActivityFilter;
  readonly entries: number;
  /** The number of entries that are compared with the filter at most. */
  readonly reads: number;
};

/** A part of an account's entries. `next`: the position before which they continue; null at the end. */
export type Activity = { readonly entries: readonly HistoryEntry[]; readonly next: Position | null };

/** `after`: only entries after this position, at which the account has an entry; or 0. At any other position the read takes longer. */
export type LaterQuery = Omit<ActivityQuery, 'before'> & { readonly after: Position };

/** A part of an account's entries. `through`: the position of the last entry that was compared with the filter, after which they continue;
 * `isEnd`: no entries are after it. */
export type LaterActivity = { readonly entries: readonly HistoryEntry[]; readonly through: Position; readonly isEnd: boolean };

/** A walk over the items of a set. */
export type Walk = {
  readonly at: Position;
  /** The walk begins at the next id in its direction. */
  readonly beyond: number;
  readonly direction: 'forward' | 'backward';
  /** The number of items after which it ends, and the number of index entries. */
  readonly items: number;
  readonly reads: number;
};

/** A part of a walk. */
export type ItemsAt = {
  /** The intervals of the items that contain the position. */
  readonly items: readonly Interval[];
  /** The number of index entries that were read. */
  readonly reads: number;
  /** The id beyond which the walk continues; null at its end. */
  readonly next: number | null;
};

/** Sets that an object was in. `isAll`: whether there are no others. */
export type SetsAt = { readonly sets: readonly string[]; readonly isAll: boolean };

/** Positions after one, through another one. */
export type PositionRange = { readonly after: Position; readonly through: Position };
