import { resourceOfStream } from '@waymark/domain/streams.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { HistoryEntry } from '../../entries.ts';
import type { HistoryReads } from '../../history.ts';
import { accountSet } from '../../sets.ts';
import { otherAction, ownAction } from '../actions.ts';
import { collections } from '../collections.ts';
import { objectOf } from '../entry-item.ts';
import { type People, readPeople } from '../people.ts';
import type { ChangePlace } from '../questions.ts';
import type { Changed, Compared } from './changed.ts';
import { endedBy } from './ended.ts';

/** A line, as readers get it. */
type Line = { readonly place: ChangePlace; readonly line: object };

/** Returns the lines of objects that differ, as readers get them. */
export const linesOf = async (
  reads: HistoryReads,
  compared: Compared,
  changed: readonly Changed[],
  base: string,
): Promise<readonly Line[]> => {
  if (changed.length === 0) return [];
  const streams = changed.map(({ stream }) => stream);
  const before = await reads.lastEntries(streams, compared.from);
  const after = await reads.lastEntries(streams, compared.to);
  const entries = await reads.entriesAtPositions(changed.map(({ place }) => place.position));
  const events = new Map(entries.map((entry) => [entry.position, entry]));
  const people = await readPeople(reads, entries);
  const lines: Line[] = [];
  for (const one of changed) {
    const [last, event] = [after.get(one.stream), events.get(one.place.position)];
    if (last === undefined || event === undefined) continue;
    const found = { ...one, before: before.get(one.stream), last, event };
    lines.push({ place: one.place, line: await lineOf(reads, compared, found, people, base) });
  }
  return lines;
};

/** An object that differs, its last entries at the two positions, and the event of its last change. */
type Found = Changed & {
  readonly before: HistoryEntry | undefined;
  readonly last: HistoryEntry;
  readonly event: HistoryEntry;
};

const lineOf = async (reads: HistoryReads, compared: Compared, found: Found, people: People, base: string): Promise<object> => {
  const { stream, change, before, last, event } = found;
  const { resource = 'pinpoint', id } = resourceOfStream(stream) ?? {};
  const url = `${base}/audit/v1/${collections[resource]}/${id}`;
  const deleted = await deletedAt(reads, compared, found);
  const ended = deleted === undefined ? undefined : await endedBy(reads, stream, deleted);
  const action = event.stream === stream ? ownAction(event.type) : otherAction(event.type, change === 'added');
  return {
    object: objectOf(stream),
    change,
    revisions: { from: before?.revision ?? null, to: last.revision },
    last: { id: event.event, time: event.time, action, actor: people.actor(event), changeset: people.changeset(event) },
    history: `${url}/history`,
    diff: (await areVersions(reads, found)) ? `${url}/diff?from=${before?.revision}&to=${last.revision}` : null,
    ...(ended === undefined ? {} : { ended }),
  };
};

/** Returns whether an object has two versions that can be compared: it was there at both positions, and its content was not erased since. A
 * happening must also have been seen at both. */
const areVersions = async (reads: HistoryReads, { stream, change, before, last }: Found): Promise<boolean> => {
  if (before?.present !== true || !last.present || before.revision === last.revision) return false;
  if (change !== 'changed' && resourceOfStream(stream)?.resource === 'happening') return false;
  const mark = await reads.erased(last.stream);
  return before.revision >= (mark?.revision ?? 0);
};

/** Returns the position at which the object of a line was deleted; undefined if another event is its last change. An erasure may follow the
 * deletion. */
const deletedAt = async (
  reads: HistoryReads,
  { account, from }: Compared,
  { stream, change, event }: Found,
): Promise<Position | undefined> => {
  if (change !== 'removed' || event.stream !== stream) return undefined;
  if (event.type.endsWith('Deleted')) return event.position;
  const { resource = 'pinpoint', id = 0 } = resourceOfStream(stream) ?? {};
  return (await reads.intervalsAt(accountSet(account, resource), [id], from)).get(id)?.until ?? undefined;
};
