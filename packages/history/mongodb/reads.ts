import type { Position } from '@waymark/event-log/event-log.ts';
import type { HistoryEntry, Values } from '../entries.ts';
import type { HistoryReads } from '../history.ts';
import { createActivity } from './activity.ts';
import { type EntryRow, entryId } from './collections.ts';
import { createIntervals } from './intervals.ts';
import { createIntervalsAt } from './intervals-at.ts';
import { createItems } from './items.ts';
import { createKeyedRows } from './keyed-rows.ts';
import { createLastStates } from './last-states.ts';
import { createMarks, type MarksOf } from './marks.ts';
import { createRelationChanges } from './relations.ts';
import { entryOf } from './rows.ts';
import type { Snapshot } from './snapshot.ts';
import { createStreamEntries, withoutValue } from './stream-entries.ts';

/** Creates the reads of a history. Values that were erased are not returned, whether they are still stored or not. */
export const createReads = (snapshot: Snapshot): HistoryReads => {
  const { find, findByIds } = snapshot;
  const marksOf = createMarks(snapshot);
  const toEntries = async (rows: readonly EntryRow[]): Promise<readonly HistoryEntry[]> => {
    const marks = await marksOf(rows.map(({ stream }) => stream));
    const entries = rows.map((row) => entryOf(row, marks.get(row.stream)));
    for (const entry of entries) {
      byId.note(entryId(entry.stream, entry.revision), entry);
      byPosition.note(entry.position, entry);
    }
    return entries;
  };
  const byId = createKeyedRows(async (ids: readonly string[]) => {
    const entries = await toEntries(await findByIds('entry', ids, { projection: withoutValue }));
    return new Map(entries.map((entry) => [entryId(entry.stream, entry.revision), entry]));
  });
  const byPosition = createKeyedRows(async (positions: readonly Position[]) => {
    const options = { projection: withoutValue, batchSize: positions.length + 1 } as const;
    const entries = await toEntries(await find('entry', { position: { $in: [...positions] } }, options));
    return new Map(entries.map((entry) => [entry.position, entry]));
  });
  const entriesAtPositions = async (positions: readonly Position[]) =>
    inOrder(await Promise.all(distinct(positions.filter((position) => position > 0)).map(byPosition.get)));
  const states = createLastStates(snapshot, marksOf);
  return {
    entries: createStreamEntries(snapshot, states.row, toEntries),
    entriesAt: async (stream, revisions) => inOrder(await Promise.all(idsOf(stream, revisions).map(byId.get))),
    values: createValues(snapshot, marksOf),
    entriesAtPositions,
    lastStates: states.now,
    lastEntries: async (streams, through) => {
      const found = await entriesAtPositions(await states.positions(streams, through));
      return new Map(found.map((entry) => [entry.stream, entry]));
    },
    relationChanges: createRelationChanges(snapshot, marksOf),
    ...createIntervals(snapshot),
    ...createIntervalsAt(snapshot),
    itemsAt: createItems(snapshot),
    ...createActivity(snapshot, toEntries),
    erased: async (stream) => (await marksOf([stream])).get(stream),
  };
};

const distinct = <Value>(values: readonly Value[]): readonly Value[] => [...new Set(values)];

const inOrder = (entries: readonly (HistoryEntry | undefined)[]): readonly HistoryEntry[] =>
  entries.filter((entry) => entry !== undefined).sort((one, other) => one.position - other.position);

const idsOf = (stream: string, revisions: readonly number[]): readonly string[] =>
  distinct(revisions).map((revision) => entryId(stream, revision));

type StoredValues = { readonly revision: number; readonly values: Values | null };

/** Creates `HistoryReads.values`. */
const createValues = ({ findByIds }: Snapshot, marksOf: MarksOf): HistoryReads['values'] => {
  const stored = createKeyedRows<string, StoredValues>(async (ids) => {
    const rows = await findByIds('entry', ids, { projection: { revision: 1, value: 1 } });
    return new Map(rows.map(({ _id, revision, value }) => [_id, { revision, values: value === null ? null : JSON.parse(value) }]));
  });
  return async (stream, revisions) => {
    const [marks, found] = await Promise.all([marksOf([stream]), Promise.all(idsOf(stream, revisions).map(stored.get))]);
    const before = marks.get(stream)?.before ?? 0;
    const known = found.filter((one) => one !== undefined).sort((one, other) => one.revision - other.revision);
    return new Map(known.flatMap(({ revision, values }) => (values === null || revision < before ? [] : [[revision, values] as const])));
  };
};
