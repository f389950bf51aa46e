import type { ErasureMark, HistoryEntry, Interval, LastState, RelationChange, Values } from '../entries.ts';

/** A change that an event makes in the history. Changes are written in order, those of a batch in one transaction. */
export type HistoryChange =
  /** `values`: those that the event set; null if they were erased. */
  | { readonly type: 'entered'; readonly entry: HistoryEntry; readonly values: Values | null }
  /** `of`: the stream of the item, if the set is that of another object. */
  | { readonly type: 'began'; readonly interval: Omit<Interval, 'until'>; readonly of: string | null }
  | { readonly type: 'ended'; readonly interval: Pick<Interval, 'set' | 'item'> & { readonly until: number } }
  | { readonly type: 'member'; readonly list: number; readonly pinpoint: number; readonly isMember: boolean }
  | { readonly type: 'related'; readonly change: RelationChange }
  | { readonly type: 'erased'; readonly mark: ErasureMark };

/** Looks up the history as the earlier changes left it. */
export type Lookup = {
  readonly last: (stream: string) => LastState | undefined;
  /** Returns the latest time of all events of an account, in milliseconds since 1970; 0 if there are none. */
  readonly clockMs: (account: string) => number;
  /** Returns the present values of some fields of an object, as far as they are known. */
  readonly values: (stream: string, names: readonly string[]) => Values;
  /** Returns the ids of the lists that a pinpoint is a member of, whether list and pinpoint are present or not. */
  readonly lists: (pinpoint: number) => readonly number[];
  readonly isMember: (list: number, pinpoint: number) => boolean;
  /** Returns the ids of a list's members in a range of ids, whether list and pinpoints are present or not. */
  readonly members: (list: number, from: number, to: number) => readonly number[];
  /** Returns the id of the pinpoint where a happening takes place; undefined if it does not, or if its pinpoint is not known. */
  readonly place: (happening: number) => number | undefined;
  /** Returns the position of an event of a stream. */
  readonly positionOf: (stream: string, revision: number) => number | undefined;
};
