import type { Position } from '@waymark/event-log/event-log.ts';
import type { FindOptions } from 'mongodb';
import type { HistoryEntry } from '../entries.ts';
import type { HistoryReads } from '../history.ts';
import type { EntryRow, StateRow } from './collections.ts';
import { revisionsTogether } from './limits.ts';
import type { Snapshot } from './snapshot.ts';

/** Everything of an entry except the values, which may be long. */
export const withoutValue = { value: 0 } as const;

/** Creates `HistoryReads.entries`. */
export const createStreamEntries =
  (
    snapshot: Snapshot,
    stateOf: (stream: string) => Promise<StateRow | undefined>,
    toEntries: (rows: readonly EntryRow[]) => Promise<readonly HistoryEntry[]>,
  ): HistoryReads['entries'] =>
  async (stream, before, limit) => {
    const state = await stateOf(stream);
    return state === undefined ? [] : toEntries(await rowsBefore(snapshot, state, before, limit, withoutValue));
  };

/** Returns the last entries of an object before a position, newest first. Some servers read a whole range of an index before they apply a limit:
 * of an object with many revisions, the positions are read first that probably have enough entries. */
export const rowsBefore = async (
  { find }: Snapshot,
  state: StateRow,
  before: Position,
  limit: number,
  projection: FindOptions['projection'] & object,
): Promise<readonly EntryRow[]> => {
  const read = (from: Position, to: Position, rows: number) => {
    const options = { sort: { position: -1 }, limit: rows, batchSize: rows + 1, projection } as const;
    return find('entry', { stream: state._id, position: { $gte: from, $lt: to } }, options);
  };
  const from = probableBegin(state, before, limit);
  const rows = await read(from, before, limit);
  return from === 0 || rows.length === limit ? rows : [...rows, ...(await read(0, from, limit - rows.length))];
};

/** Returns the position after which twice as many entries as a limit lie before another one, if the revisions of the object are evenly
 * distributed; 0 if it has few. */
const probableBegin = (state: StateRow, before: Position, limit: number): Position => {
  if (state.revision <= revisionsTogether) return 0;
  const apart = state.position / state.revision;
  return Math.max(0, Math.floor(Math.min(before, state.position + 1) - 2 * limit * apart));
};
