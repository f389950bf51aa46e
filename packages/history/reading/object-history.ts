import { resourceOfStream } from '@waymark/domain/streams.ts';
import { createPageSize } from '@waymark/read-models/page-size.ts';
import type { HistoryEntry } from '../entries.ts';
import type { HistoryReads } from '../history.ts';
import { otherAction, ownAction } from './actions.ts';
import { changedFields } from './changed-fields.ts';
import { collections } from './collections.ts';
import { type Line, linesBefore } from './lines.ts';
import { type People, readPeople } from './people.ts';
import type { Question, Reply, Subject } from './questions.ts';

/** Returns a page of an object's history. As every page it ends before the first item that would make it too large. */
export const objectHistory = async (reads: HistoryReads, question: Extract<Question, { type: 'history' }>): Promise<Reply> => {
  const { stream, before, limit } = question;
  const lines = await linesBefore(reads, stream, before, limit + 1);
  const people = await readPeople(
    reads,
    lines.slice(0, limit).map(({ entry }) => entry),
  );
  const size = createPageSize();
  const items: string[] = [];
  for (const line of lines.slice(0, limit)) {
    const text = JSON.stringify(await itemOf(reads, line, question, people));
    if (!size.fits(text)) break;
    items.push(text);
  }
  return { outcome: 'page', items, next: lines.length > items.length ? (lines[items.length - 1]?.entry.position ?? null) : null };
};

const itemOf = async (reads: HistoryReads, line: Line, question: Extract<Question, { type: 'history' }>, people: People) => {
  const { entry } = line;
  const isOwn = entry.stream === question.stream;
  return {
    id: entry.event,
    revision: isOwn ? entry.revision : null,
    time: entry.time,
    action: isOwn ? ownAction(entry.type) : otherAction(entry.type, line.began),
    actor: people.actor(entry),
    changeset: people.changeset(entry),
    request_id: entry.request,
    correlation_id: entry.correlation,
    cause: isOwn ? entry.cause : entry.event,
    as_of: momentUrl(entry, question),
    ...(isOwn ? await changesOf(reads, entry, question.base) : { related: await relatedTo(reads, entry) }),
  };
};

/** Returns the URL of the object as of right after an event; null for an object that has none. */
const momentUrl = ({ event }: HistoryEntry, { stream, base }: Subject): string | null => {
  const { resource, id } = resourceOfStream(stream) ?? {};
  return resource === undefined ? null : `${base}/audit/v1/as-of/${event}/${collections[resource]}/${id}`;
};

/** Returns what an event changed in its own object; nothing where the content was erased. */
const changesOf = async (reads: HistoryReads, entry: HistoryEntry, base: string): Promise<object> => {
  const values = (await reads.values(entry.stream, [entry.revision])).get(entry.revision);
  if (values === undefined) return { changes: null };
  const { added, removed } = values;
  const members = added || removed ? { members: { added: added ?? [], removed: removed ?? [] } } : {};
  return { changes: await changedFields(reads, entry, base), ...members };
};

/** Names the other object that an event is about, or the order that it is. */
const relatedTo = async (reads: HistoryReads, { stream, revision }: HistoryEntry): Promise<object> => {
  const { resource, id } = resourceOfStream(stream) ?? {};
  if (resource !== undefined) return { kind: collections[resource], id };
  const { by, reason, case: number } = (await reads.values(stream, [revision])).get(revision) ?? {};
  return { by: by ?? null, reason: reason ?? null, case: number ?? null };
};
