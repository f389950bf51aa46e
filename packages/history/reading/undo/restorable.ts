import type { HistoryReads } from '../../history.ts';
import type { Reply } from '../questions.ts';
import { versionAt } from '../version.ts';
import { isErasing } from './erasing.ts';
import type { UndoQuestion } from './undo-questions.ts';

/** Returns the fields of a version, and the revision of the object's stream at which they may be set again. */
export const restorable = async (
  reads: HistoryReads,
  { stream, revision }: Extract<UndoQuestion, { type: 'restorable' }>,
): Promise<Reply> => {
  const [found, last] = await Promise.all([versionAt(reads, stream, revision), reads.lastStates([stream])]);
  if ('outcome' in found) return found;
  return {
    outcome: 'restorable',
    last: last.get(stream)?.revision ?? revision,
    event: found.entry.event,
    origins: found.entry.origins,
    isErasing: await isErasing(reads, stream, revision),
    fields: found.values,
  };
};
