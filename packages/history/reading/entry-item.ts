import { resourceOfStream } from '@waymark/domain/streams.ts';
import type { HistoryEntry } from '../entries.ts';
import type { HistoryReads } from '../history.ts';
import { otherAction, ownAction } from './actions.ts';
import { changedFields } from './changed-fields.ts';
import { collections } from './collections.ts';
import type { Line } from './lines.ts';
import type { People } from './people.ts';

/** The object whose history an item is in, and the public base URL. */
type Reader = { readonly stream: string; readonly base: string };

/** Returns a line of a history as readers get it. */
export const itemOf = async (reads: HistoryReads, { entry, began }: Line, reader: Reader, people: Promise<People>) => {
  const isOwn = entry.stream === reader.stream;
  const [{ actor, changeset }, content] = await Promise.all([
    people,
    isOwn ? changesOf(reads, entry, reader.base) : relatedTo(reads, entry),
  ]);
  return {
    id: entry.event,
    revision: isOwn ? entry.revision : null,
    time: entry.time,
    action: isOwn ? ownAction(entry.type) : otherAction(entry.type, began),
    actor: actor(entry),
    changeset: changeset(entry),
    request_id: entry.request,
    correlation_id: entry.correlation,
    cause: isOwn ? entry.cause : entry.event,
    as_of: momentUrl(entry, reader),
    ...(isOwn ? content : { related: content }),
  };
};

/** Returns the URL of the object as of right after an event; null for an object that has none. */
const momentUrl = ({ event }: HistoryEntry, { stream, base }: Reader): string | null => {
  const { resource, id } = resourceOfStream(stream) ?? {};
  return resource === undefined ? null : `${base}/audit/v1/as-of/${event}/${collections[resource]}/${id}`;
};

/** Returns what an event changed in its own object; nothing where the content was erased. */
const changesOf = async (reads: HistoryReads, entry: HistoryEntry, base: string): Promise<object> => {
  const [own, changes] = await Promise.all([reads.values(entry.stream, [entry.revision]), changedFields(reads, entry, base)]);
  const values = own.get(entry.revision);
  if (values === undefined) return { changes: null };
  const { added, removed } = values;
  const members = added || removed ? { members: { added: added ?? [], removed: removed ?? [] } } : {};
  return { changes, ...members };
};

/** Names the other object that an event is about, or the order that it is. */
const relatedTo = async (reads: HistoryReads, { stream, revision }: HistoryEntry): Promise<object> => {
  if (resourceOfStream(stream) !== undefined) return objectOf(stream);
  const { by, reason, case: number } = (await reads.values(stream, [revision])).get(revision) ?? {};
  return { by: by ?? null, reason: reason ?? null, case: number ?? null };
};

/** Names the object of a stream. */
export const objectOf = (stream: string): { readonly kind: string; readonly id: number | string } => {
  const { resource, id = 0 } = resourceOfStream(stream) ?? {};
  if (resource !== undefined) return { kind: collections[resource], id };
  const [kind = ''] = stream.split('-', 1);
  return { kind: otherKinds[kind] ?? kind, id: stream.slice(kind.length + 1) };
};

const otherKinds: Readonly<Record<string, string>> = {
  application: 'applications',
  account: 'accounts',
  changeset: 'changesets',
  orders: 'orders',
  undo: 'undos',
};
