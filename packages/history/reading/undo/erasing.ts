import type { HistoryReads } from '../../history.ts';

/** Entries that are read at once, and those that are searched for the pieces of an erasure. While it goes on, few other events follow one. */
const entriesTogether = 200;
const entriesMax = 1_000;

/** Returns whether an erasure has begun to restate an object after a revision, and is not complete. */
export const isErasing = async (reads: HistoryReads, stream: string, after: number): Promise<boolean> => {
  // Only lists are restated in pieces.
  if (!stream.startsWith('list-')) return false;
  let before = Number.MAX_SAFE_INTEGER;
  for (let searched = 0; searched < entriesMax; searched += entriesTogether) {
    const entries = await reads.entries(stream, before, entriesTogether);
    for (const { type, revision } of entries) {
      if (revision <= after || type === 'ListRedacted') return false;
      if (type === 'ListMembersRestated') return true;
    }
    if (entries.length < entriesTogether) return false;
    before = entries.at(-1)?.position ?? 0;
  }
  return false;
};
