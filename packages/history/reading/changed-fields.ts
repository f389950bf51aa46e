import type { HistoryEntry, Values } from '../entries.ts';
import type { HistoryReads } from '../history.ts';
import { apiName, apiValue, inApiOrder } from './api-values.ts';
import { fieldValues } from './field-values.ts';

/** The old and the new value of a field, as the API has them. */
type Change = { readonly old: unknown; readonly new: unknown };

/** Returns the fields whose values an event changed. */
export const changedFields = async (reads: HistoryReads, entry: HistoryEntry, base: string): Promise<Readonly<Record<string, Change>>> => {
  const names = inApiOrder(Object.keys(entry.origins)).filter((name) => entry.origins[name] === entry.revision);
  // An event that completes an erasure restates what was erased: it changes nothing.
  if (names.length === 0 || entry.type.endsWith('Redacted')) return {};
  const [old, values] = await Promise.all([valuesBefore(reads, entry), fieldValues(reads, entry)]);
  return Object.fromEntries(
    names
      .map((name) => [apiName(name), { old: apiValue(old[name], base), new: apiValue(values[name], base) }] as const)
      .filter(([, change]) => JSON.stringify(change.old) !== JSON.stringify(change.new)),
  );
};

/** Returns the values of an object before an event of its stream. */
export const valuesBefore = async (reads: HistoryReads, { stream, revision }: HistoryEntry): Promise<Values> => {
  const [before] = revision === 0 ? [] : await reads.entriesAt(stream, [revision - 1]);
  return before ? fieldValues(reads, before) : {};
};
