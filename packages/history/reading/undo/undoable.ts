import { resourceOfStream } from '@waymark/domain/streams.ts';
import type { ChangesToUndo } from '@waymark/domain/undo/plan.ts';
import type { HistoryReads } from '../../history.ts';
import { fieldValues } from '../field-values.ts';
import type { Reply } from '../questions.ts';
import { walkChanges } from './changed-state.ts';
import { isErasing } from './erasing.ts';
import { changedMembers } from './members.ts';
import type { UndoQuestion } from './undo-questions.ts';
import { isUsedSince } from './use.ts';

/** Returns what changes of an object did that is still so, and the values of before. */
export const undoable = async (
  reads: HistoryReads,
  { stream, revisions, job }: Extract<UndoQuestion, { type: 'undoable' }>,
): Promise<Reply> => {
  const [mark, states] = await Promise.all([reads.erased(stream), reads.lastStates([stream])]);
  const [first = 0] = revisions;
  const state = states.get(stream);
  const { resource: kind } = resourceOfStream(stream) ?? {};
  if (kind === undefined || state === undefined || (revisions.at(-1) ?? 0) > state.revision) return { outcome: 'not-found' };
  // The version before the first change must not be erased.
  if (mark !== undefined && first <= mark.revision) return { outcome: 'erased' };
  const changed = await walkChanges(reads, stream, revisions, job?.cause);
  const { event, toggle } = changed;
  const isSetSince = (name: string): boolean => state.origins[name] !== changed.fields.get(name)?.last;
  const stillSet = [...changed.fields].filter(([name]) => !isSetSince(name));
  const originsBefore = originsIn(stillSet.map(([name, { before: origin }]) => [name, origin]));
  const [current, before, isUsed, memberships] = await Promise.all([
    fieldValues(reads, { stream, origins: state.origins }),
    fieldValues(reads, { stream, origins: originsBefore }),
    toggle !== undefined && isUsedSince(reads, toggle.entry, job),
    changedMembers(reads, stream, changed.memberships),
  ]);
  if (memberships === undefined) return { outcome: 'too-many-changes' };
  const changes: ChangesToUndo = {
    kind,
    present: state.present,
    presence: toggle && {
      before: toggle.before,
      isChangedSince: state.revision - toggle.entry.revision > toggle.ownLater,
      isUsedSince: isUsed,
    },
    isShared: changed.isShared,
    current,
    before,
    setSince: [...changed.fields.keys()].filter((name) => isSetSince(name) && changed.fields.get(name)?.isOther === true),
    memberships,
  };
  const origins = { ...state.origins, ...originsBefore };
  return { outcome: 'undoable', last: state.revision, event, origins, isErasing: await isErasing(reads, stream, first), changes };
};

const originsIn = (origins: readonly (readonly [name: string, revision: number | undefined])[]): Readonly<Record<string, number>> =>
  Object.fromEntries(origins.flatMap(([name, revision]) => (revision === undefined ? [] : [[name, revision]])));
