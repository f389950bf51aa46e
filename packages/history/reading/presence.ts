import { type ResourceKind, resourceOfStream, resourceStream } from '@waymark/domain/streams.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { HistoryEntry, Interval, Values } from '../entries.ts';
import type { HistoryReads } from '../history.ts';
import { accountSet } from '../sets.ts';
import { fieldValues } from './field-values.ts';
import type { Version } from './version.ts';

/** What an account saw of its objects at a position. */
export type View = { readonly account: string; readonly at: Position };

/** Returns the time during which an object was present around a position; undefined if it was not present at it. */
export const presenceOf = async (
  reads: HistoryReads,
  { account, at }: View,
  kind: ResourceKind,
  id: number,
): Promise<Interval | undefined> => (await reads.intervalsIn(accountSet(account, kind), id, { after: at, through: at })).at(-1);

/** Returns whether an object was present. */
export const wasPresent = async (reads: HistoryReads, view: View, kind: ResourceKind, id: number): Promise<boolean> =>
  (await presenceOf(reads, view, kind, id)) !== undefined;

/** Returns the streams of those objects that clients saw at a position. An object whose content of that time was erased since was seen if it was
 * present: where a happening was before its erasure is not known any more.
 * @param entries the last entries of the objects up to the position */
export const seenStreams = async (reads: HistoryReads, view: View, entries: Iterable<HistoryEntry>): Promise<ReadonlySet<string>> => {
  const all = [...entries];
  const areSeen = await Promise.all(all.map((entry) => wasSeen(reads, view, entry)));
  return new Set(all.filter((_, nth) => areSeen[nth]).map(({ stream }) => stream));
};

const wasSeen = async (reads: HistoryReads, view: View, { stream, present, origins }: HistoryEntry): Promise<boolean> => {
  const placed = resourceOfStream(stream)?.resource === 'happening' ? origins['pinpoint'] : undefined;
  if (!present || placed === undefined) return present;
  return isPlaced(reads, view, (await reads.values(stream, [placed])).get(placed) ?? {});
};

/** Returns whether the pinpoint of a happening with these values was present. */
const isPlaced = (reads: HistoryReads, view: View, values: Values): Promise<boolean> =>
  wasPresent(reads, view, 'pinpoint', Number(values['pinpoint']));

/** An object that clients saw: its version; `erased` if its content of that time was erased. Undefined if they did not see it. */
export type Seen = Version | 'erased' | undefined;

/** Returns what clients saw of objects of one kind, by id, in the order of the ids. A happening is seen only while its pinpoint is present. */
export const seenObjects = async (
  reads: HistoryReads,
  view: View,
  kind: ResourceKind,
  ids: readonly number[],
): Promise<readonly { readonly id: number; readonly seen: Seen }[]> => {
  const entries = await reads.lastEntries(
    ids.map((id) => resourceStream(kind, id)),
    view.at,
  );
  return Promise.all(ids.map(async (id) => ({ id, seen: await seenObject(reads, view, kind, entries.get(resourceStream(kind, id))) })));
};

const seenObject = async (reads: HistoryReads, view: View, kind: ResourceKind, entry: HistoryEntry | undefined): Promise<Seen> => {
  if (entry?.present !== true || entry.account !== view.account) return undefined;
  const mark = await reads.erased(entry.stream);
  if (mark !== undefined && entry.revision < mark.revision) return 'erased';
  const values = await fieldValues(reads, entry);
  if (kind === 'happening' && !(await isPlaced(reads, view, values))) return undefined;
  return { entry, values };
};
