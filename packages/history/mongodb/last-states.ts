import type { Position } from '@waymark/event-log/event-log.ts';
import type { HistoryReads } from '../history.ts';
import type { StateRow } from './collections.ts';
import { createKeyedRows } from './keyed-rows.ts';
import { revisionsTogether } from './limits.ts';
import type { MarksOf } from './marks.ts';
import { stateOf } from './rows.ts';
import type { Snapshot } from './snapshot.ts';

/** The last states of objects. */
export type LastStates = {
  readonly now: HistoryReads['lastStates'];
  /** Returns the positions of the last entries of some streams at or before a position. */
  readonly positions: (streams: readonly string[], through: Position) => Promise<readonly Position[]>;
};

export const createLastStates = ({ find, findByIds }: Snapshot, marksOf: MarksOf): LastStates => {
  const byStream = createKeyedRows(async (streams: readonly string[]) => {
    const rows = await findByIds('state', streams);
    return new Map(rows.map((row) => [row._id, row]));
  });
  const rowsOf = async (streams: readonly string[]): Promise<readonly StateRow[]> =>
    (await Promise.all([...new Set(streams)].map(byStream.get))).filter((row) => row !== undefined);

  /** Searches for the last entries of objects, in an index alone. */
  const search = async (streams: readonly string[], through: Position, limit: number): Promise<readonly Position[]> => {
    const filter = { stream: { $in: [...streams] }, position: { $lte: through } };
    const projection = { _id: 0, stream: 1, position: 1 } as const;
    const rows = await find('entry', filter, { sort: { stream: -1, position: -1 }, projection, limit, batchSize: limit + 1 });
    return rows.filter(({ stream }, nth) => rows[nth - 1]?.stream !== stream).map(({ position }) => position);
  };
  return {
    now: async (streams) => {
      const [rows, marks] = await Promise.all([rowsOf(streams), marksOf(streams)]);
      return new Map(rows.map((row) => [row._id, stateOf(row, marks.get(row._id))]));
    },
    positions: async (streams, through) => {
      const rows = await rowsOf(streams);
      const later = rows.filter(({ position }) => position > through);
      const { few, revisions, many } = splitByRevisions(later);
      const found = await Promise.all([
        ...(few.length === 0 ? [] : [search(few, through, revisions)]),
        ...many.map((stream) => search([stream], through, 1)),
      ]);
      return [...rows.filter(({ position }) => position <= through).map(({ position }) => position), ...found.flat()];
    },
  };
};

/** Returns the streams that have few revisions together, and the number of these revisions, and the other streams. */
const splitByRevisions = (rows: readonly StateRow[]) => {
  const few: string[] = [];
  const many: string[] = [];
  let revisions = 0;
  for (const { _id, revision } of rows.toSorted((one, other) => one.revision - other.revision)) {
    const fits = revisions + revision + 1 <= revisionsTogether;
    if (fits) revisions += revision + 1;
    (fits ? few : many).push(_id);
  }
  return { few, revisions, many };
};
