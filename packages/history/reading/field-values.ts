import type { HistoryEntry, Values } from '../entries.ts';
import type { HistoryReads } from '../history.ts';

/** Returns the values of all fields of an object after an entry. A value that was erased is missing. */
export const fieldValues = async (reads: HistoryReads, { stream, origins }: Pick<HistoryEntry, 'stream' | 'origins'>): Promise<Values> => {
  const set = await reads.values(stream, Object.values(origins));
  return Object.fromEntries(
    Object.entries(origins).flatMap(([name, revision]) => {
      const values = set.get(revision);
      return values && Object.hasOwn(values, name) ? [[name, values[name]]] : [];
    }),
  );
};
