import type { CategoryFields } from '@waymark/domain/category/events.ts';
import type { HappeningFields } from '@waymark/domain/happening/events.ts';
import type { ListFields } from '@waymark/domain/list/events.ts';
import type { PinpointFields } from '@waymark/domain/pinpoint/events.ts';
import { type ResourceKind, resourceOfStream } from '@waymark/domain/streams.ts';
import { categoryText } from '@waymark/read-models/representations/category.ts';
import { completeFiles } from '@waymark/read-models/representations/files.ts';
import { happeningText } from '@waymark/read-models/representations/happening.ts';
import { listText } from '@waymark/read-models/representations/list.ts';
import { pinpointText } from '@waymark/read-models/representations/pinpoint.ts';
import type { HistoryEntry, Values } from '../entries.ts';
import type { HistoryReads } from '../history.ts';
import { fieldValues } from './field-values.ts';
import type { Question, Reply } from './questions.ts';

/** Returns an object as it was after a revision, in today's format of `/v3.0`. */
export const version = async (reads: HistoryReads, question: Extract<Question, { type: 'version' }>): Promise<Reply> => {
  const { stream, revision, base } = question;
  const found = await versionAt(reads, stream, revision);
  return 'outcome' in found ? found : { outcome: 'found', text: representation(found, base) };
};

/** An object as it was after an entry. */
export type Version = { readonly entry: HistoryEntry; readonly values: Values };

/** Returns a version of an object, or why there is none. */
export const versionAt = async (reads: HistoryReads, stream: string, revision: number): Promise<Version | Reply> => {
  const [[entry], mark] = await Promise.all([reads.entriesAt(stream, [revision]), reads.erased(stream)]);
  if (entry === undefined) return { outcome: 'not-found' };
  if (mark !== undefined && revision < mark.revision) return { outcome: 'erased' };
  if (!entry.present) return deletedBefore(reads, entry);
  const values = await fieldValues(reads, entry);
  // Without a mark only an event that contradicts itself has no values, or a log whose erasure is not complete.
  return isComplete(entry, values) ? { entry, values } : { outcome: 'erased' };
};

const isComplete = ({ origins }: HistoryEntry, values: Values): boolean =>
  Object.keys(origins).length > 0 && Object.keys(origins).every((name) => Object.hasOwn(values, name));

/** Names the event that deleted an object which is not present after an entry. */
const deletedBefore = async (reads: HistoryReads, { stream, position }: HistoryEntry): Promise<Reply> => {
  for (let before = position + 1; ; ) {
    const entries = await reads.entries(stream, before, entriesTogether);
    const deletion = entries.find(({ type }) => type.endsWith('Deleted'));
    if (deletion) return { outcome: 'deleted', revision: deletion.revision, time: deletion.time, event: deletion.event };
    const last = entries.at(-1);
    if (last === undefined) return { outcome: 'not-found' };
    before = last.position;
  }
};

/** Entries that are read at once. */
const entriesTogether = 20;

/** Returns a version in the format of `/v3.0`. */
export const representation = ({ entry, values }: Version, base: string): string => {
  const { resource, id = 0 } = resourceOfStream(entry.stream) ?? {};
  return completeFiles(resource === undefined ? JSON.stringify(values) : texts[resource](id, values), base);
};

// The history has the values of an event's own fields: they have their types.
const texts: Readonly<Record<ResourceKind, (id: number, values: Values) => string>> = {
  pinpoint: (id, values) => pinpointText(id, values as PinpointFields),
  list: (id, values) => listText(id, values as ListFields),
  category: (id, values) => categoryText(id, values as CategoryFields),
  happening: (id, values) => happeningText(id, values as HappeningFields),
};
