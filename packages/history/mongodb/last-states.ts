import type { Position } from '@waymark/event-log/event-log.ts';
import type { HistoryReads } from '../history.ts';
import type { StateRow } from './collections.ts';
import { createKeyedRows } from './keyed-rows.ts';
import { revisionsTogether } from './limits.ts';
import type { MarksOf } from './marks.ts';
import { stateOf } from './rows.ts';
import type { Snapshot } from './snapshot.ts';
import { rowsBefore } from './stream-entries.ts';

/** The last states of objects. */
export type LastStates = {
  readonly row: (stream: string) => Promise<StateRow | undefined>;
  readonly now: HistoryReads['lastStates'];
  /** Returns the positions of the last entries of some streams at or before a position. */
  readonly positions: (streams: readonly string[], through: Position) => Promise<readonly Position[]>;
};

export const createLastStates = (snapshot: Snapshot, marksOf: MarksOf): LastStates => {
  const { find, findByIds } = snapshot;
  const byStream = createKeyedRows(async (streams: readonly string[]) => {
    const rows = await findByIds('state', streams);
    return new Map(rows.map((row) => [row._id, row]));
  });
  const rowsOf = async (streams: readonly string[]): Promise<readonly StateRow[]> =>
    (await Promise.all([...new Set(streams)].map(byStream.get))).filter((row) => row !== undefined);

  /** Searches for the last entries of objects that have few revisions together, in an index alone. */
  const search = async (streams: readonly string[], through: Position, limit: number): Promise<readonly Found[]> => {
    const filter = { stream: { $in: [...streams] }, position: { $lte: through } };
    const projection = { _id: 0, stream: 1, position: 1 } as const;
    const rows = await find('entry', filter, { sort: { stream: -1, position: -1 }, projection, limit, batchSize: limit + 1 });
    return rows.filter(({ stream }, nth) => rows[nth - 1]?.stream !== stream).map(({ stream, position }) => [stream, position]);
  };
  const searchAlone = async (row: StateRow, through: Position): Promise<readonly Found[]> => {
    const [last] = await rowsBefore(snapshot, row, through + 1, 1, { _id: 0, position: 1 });
    return last === undefined ? [] : [[row._id, last.position]];
  };
  const lastAt = createKeyedRows(async (keys: readonly string[]) => {
    const positions = new Map<string, Position>();
    const parsed = keys.map((key) => JSON.parse(key) as Key);
    for (const [through, alike] of Map.groupBy(parsed, ([position]) => position)) {
      const [now, later] = splitByPosition(await rowsOf(alike.map(([, stream]) => stream)), through);
      const { few, revisions, many } = splitByRevisions(later);
      const found: Found[] = now.map(({ _id, position }) => [_id, position]);
      if (few.length > 0) found.push(...(await search(few, through, revisions)));
      for (const row of many) found.push(...(await searchAlone(row, through)));
      for (const [stream, position] of found) positions.set(keyOf(through, stream), position);
    }
    return positions;
  });
  return {
    row: byStream.get,
    now: async (streams) => {
      const [rows, marks] = await Promise.all([rowsOf(streams), marksOf(streams)]);
      return new Map(rows.map((row) => [row._id, stateOf(row, marks.get(row._id))]));
    },
    positions: async (streams, through) => {
      const found = await Promise.all([...new Set(streams)].map((stream) => lastAt.get(keyOf(through, stream))));
      return found.filter((position) => position !== undefined);
    },
  };
};

/** The stream of an object, and the position of its entry. */
type Found = readonly [stream: string, position: Position];

/** An object whose last entry at or before a position is searched for. */
type Key = readonly [through: Position, stream: string];

const keyOf = (through: Position, stream: string): string => JSON.stringify([through, stream] satisfies Key);

/** Returns the states that an entry at or before a position made, and the others. */
const splitByPosition = (rows: readonly StateRow[], through: Position): readonly [readonly StateRow[], readonly StateRow[]] => [
  rows.filter(({ position }) => position <= through),
  rows.filter(({ position }) => position > through),
];

/** Returns the streams that have few revisions together, and the number of these revisions, and the other streams. */
const splitByRevisions = (rows: readonly StateRow[]) => {
  const few: string[] = [];
  const many: StateRow[] = [];
  let revisions = 0;
  for (const row of rows.toSorted((one, other) => one.revision - other.revision)) {
    const fits = revisions + row.revision + 1 <= revisionsTogether;
    if (!fits) {
      many.push(row);
      continue;
    }
    revisions += row.revision + 1;
    few.push(row._id);
  }
  return { few, revisions, many };
};
