import { undoingStream } from '@waymark/domain/streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { type Lease, takeLease } from '@waymark/event-log/lease.ts';
import { noProgress, sealUndoNote, type UndoProgress, undoNoteIn } from '@waymark/history/undo-jobs/notes.ts';
import { leaseMs, noteMs } from './limits.ts';

/** The right to run a job. Two processes that run the same job at once do no harm. */
export type UndoLease = Lease<UndoProgress>;

/** Takes the lease of a job; undefined if another process has it.
 * @param isAlone true if no other process uses the log: a lease that has not ended belongs to a process that has
 * @throws LogUnavailable, AppendUndecided */
export const takeUndoLease = (log: EventLog, undo: string, isAlone: boolean): Promise<UndoLease | undefined> =>
  takeLease({
    ...{ log, isAlone, leaseMs, noteMs },
    stream: undoingStream(undo),
    seal: sealUndoNote,
    noteIn: undoNoteIn,
    begin: (earlier) => earlier?.progress ?? noProgress,
  });
