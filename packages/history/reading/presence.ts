import { type ResourceKind, resourceStream } from '@waymark/domain/streams.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { HistoryEntry } from '../entries.ts';
import type { HistoryReads } from '../history.ts';
import { accountSet } from '../sets.ts';
import { fieldValues } from './field-values.ts';
import type { Version } from './version.ts';

/** What an account saw of its objects at a position. */
export type View = { readonly account: string; readonly at: Position };

/** Returns whether an object was present. */
export const wasPresent = async (reads: HistoryReads, { account, at }: View, kind: ResourceKind, id: number): Promise<boolean> =>
  (await reads.intervalsIn(accountSet(account, kind), id, { after: at, through: at })).length > 0;

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
  if (kind === 'happening' && !(await wasPresent(reads, view, 'pinpoint', Number(values['pinpoint'])))) return undefined;
  return { entry, values };
};
