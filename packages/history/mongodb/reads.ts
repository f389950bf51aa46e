import type { Position } from '@waymark/event-log/event-log.ts';
import type { HistoryEntry, Values } from '../entries.ts';
import type { HistoryReads } from '../history.ts';
import { createActivity } from './activity.ts';
import { type EntryRow, entryId } from './collections.ts';
import { createIntervals } from './intervals.ts';
import { createIntervalsAt } from './intervals-at.ts';
import { createItems } from './items.ts';
import { rememberedMax } from './limits.ts';
import { createMarks, type MarksOf } from './marks.ts';
import { createRelationChanges } from './relations.ts';
import { entryOf } from './rows.ts';
import type { Snapshot } from './snapshot.ts';

/** Everything of an entry except the values, which may be long. */
const withoutValue = { value: 0 } as const;

/** Creates the reads of a history. Values that were erased are not returned, whether they are still stored or not. */
export const createReads = (snapshot: Snapshot): HistoryReads => {
  const { find } = snapshot;
  const marksOf = createMarks(snapshot);
  /** The entries that were read, by stream and revision: answers ask for the same ones again. */
  const known = new Map<string, HistoryEntry>();
  const toEntries = async (rows: readonly EntryRow[]): Promise<readonly HistoryEntry[]> => {
    const marks = await marksOf(rows.map(({ stream }) => stream));
    const entries = rows.map((row) => entryOf(row, marks.get(row.stream)));
    for (const entry of entries) if (known.size < rememberedMax) known.set(entryId(entry.stream, entry.revision), entry);
    return entries;
  };
  const entries = async (stream: string, before: Position, limit: number) => {
    const filter = { stream: { $eq: stream }, position: { $lt: before } };
    return toEntries(await find('entry', filter, { sort: { position: -1 }, limit, batchSize: limit + 1, projection: withoutValue }));
  };
  const entriesAtPositions = async (positions: readonly Position[]) => {
    const options = { sort: { position: 1 }, projection: withoutValue, batchSize: positions.length + 1 } as const;
    return toEntries(await find('entry', { position: { $in: [...new Set(positions)].filter((position) => position > 0) } }, options));
  };
  return {
    entries,
    entriesAt: async (stream, revisions) => {
      const ids = idsOf(stream, revisions);
      const missing = ids.filter((id) => !known.has(id));
      const options = { projection: withoutValue, batchSize: missing.length + 1 } as const;
      const again = ids.flatMap((id) => known.get(id) ?? []);
      const read = missing.length === 0 ? [] : await toEntries(await find('entry', { _id: { $in: missing } }, options));
      return [...again, ...read].sort((one, other) => one.revision - other.revision);
    },
    values: createValues(snapshot, marksOf),
    entriesAtPositions,
    lastEntries: (streams, through) => lastEntries(snapshot, { entries, entriesAtPositions }, streams, through),
    relationChanges: createRelationChanges(snapshot, marksOf),
    ...createIntervals(snapshot),
    ...createIntervalsAt(snapshot),
    itemsAt: createItems(snapshot),
    ...createActivity(snapshot, toEntries),
    erased: async (stream) => (await marksOf([stream])).get(stream),
  };
};

const idsOf = (stream: string, revisions: readonly number[]): readonly string[] =>
  [...new Set(revisions)].map((revision) => entryId(stream, revision));

/** Creates `HistoryReads.values`. A value is read once, because the values of neighbouring versions are mostly the same. */
const createValues = ({ find }: Snapshot, marksOf: MarksOf): HistoryReads['values'] => {
  const known = new Map<string, StoredValues>();
  const read = async (ids: readonly string[]): Promise<readonly StoredValues[]> => {
    if (ids.length === 0) return [];
    const options = { projection: { revision: 1, value: 1 }, batchSize: ids.length + 1 } as const;
    const rows = await find('entry', { _id: { $in: ids } }, options);
    return rows.map(({ _id, revision, value }) => {
      const stored = { revision, values: value === null ? null : JSON.parse(value) };
      if (known.size < rememberedMax) known.set(_id, stored);
      return stored;
    });
  };
  return async (stream, revisions) => {
    const before = (await marksOf([stream])).get(stream)?.before ?? 0;
    const asked = revisions.filter((revision) => revision >= before);
    const ids = idsOf(stream, asked);
    const again = ids.flatMap((id) => known.get(id) ?? []);
    const all = [...again, ...(await read(ids.filter((id) => !known.has(id))))];
    return new Map(
      all
        .sort((one, other) => one.revision - other.revision)
        .flatMap(({ revision, values }) => (values === null ? [] : [[revision, values] as const])),
    );
  };
};

type StoredValues = { readonly revision: number; readonly values: Values | null };

/** Reads the last entries of most streams together, by the positions in their states. Only those of streams that have later entries are
 * searched for. */
const lastEntries = async (
  { find }: Snapshot,
  { entries, entriesAtPositions }: Pick<HistoryReads, 'entries' | 'entriesAtPositions'>,
  streams: readonly string[],
  through: Position,
): Promise<ReadonlyMap<string, HistoryEntry>> => {
  const asked = [...new Set(streams)];
  const states = await find('state', { _id: { $in: asked } }, { projection: { position: 1 }, batchSize: asked.length + 1 });
  const last = states.filter(({ position }) => position <= through).map(({ position }) => position);
  const found = new Map((last.length === 0 ? [] : await entriesAtPositions(last)).map((entry) => [entry.stream, entry] as const));
  for (const { _id, position } of states) {
    if (position <= through) continue;
    const [entry] = await entries(_id, through + 1, 1);
    if (entry) found.set(_id, entry);
  }
  return found;
};
