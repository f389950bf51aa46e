import type { HistoryEntry } from '../../entries.ts';
import type { HistoryReads } from '../../history.ts';
import { isInScope } from './scope.ts';
import type { UndoJob } from './undo-questions.ts';

/** Relations that are read at once. */
const relationsTogether = 100;

/** Returns whether others have added an object to a list, removed it from one, or referred to it, after an entry. Orders of operators do not
 * count, and neither do the changes that a job undoes, and its own. */
export const isUsedSince = async (reads: HistoryReads, { stream, position }: HistoryEntry, job: UndoJob | undefined): Promise<boolean> => {
  // Only pinpoints are in lists, and have happenings.
  if (!stream.startsWith('pinpoint-')) return false;
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const changes = await reads.relationChanges(stream, before, relationsTogether);
    const later = changes.filter((change) => change.position > position);
    const uses = later.filter(({ other }) => /^(list|happening)-/.test(other)).map((change) => change.position);
    if (await areByOthers(reads, uses, job)) return true;
    if (later.length < relationsTogether) return false;
    before = later.at(-1)?.position ?? 0;
  }
};

/** Returns whether one of the changes at some positions is not a job's. */
const areByOthers = async (reads: HistoryReads, positions: readonly number[], job: UndoJob | undefined): Promise<boolean> => {
  if (job === undefined || positions.length === 0) return positions.length > 0;
  const entries = await reads.entriesAtPositions(positions);
  return entries.some((entry) => entry.cause !== job.cause && !isInScope(entry, job.scope));
};
