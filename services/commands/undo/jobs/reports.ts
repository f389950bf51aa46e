import type { UndoCommand } from '@waymark/domain/undo/commands.ts';
import { undoDecider } from '@waymark/domain/undo/decide.ts';
import type { UndoLine } from '@waymark/domain/undo/events.ts';
import type { UndoState } from '@waymark/domain/undo/state.ts';
import { appendOnce } from '@waymark/event-log/append-once.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { LeaseLost } from '@waymark/event-log/lease.ts';
import { type StoredUndoJob, sealUndoEvent } from '@waymark/history/undo-jobs/stored-jobs.ts';
import { reportLinesMax, reportMs, reportNamesMax } from './limits.ts';

/** Writes the reports of a job. */
export type Reports = {
  /** Adds a line, which is written with others.
   * @throws LeaseLost, LogUnavailable, AppendUndecided */
  readonly add: (line: UndoLine) => Promise<void>;
  /** Writes the lines that wait.
   * @throws as `add` */
  readonly flush: () => Promise<void>;
  /** Writes the end.
   * @param reason why the job stops; null if it is done
   * @throws LeaseLost, LogUnavailable, AppendUndecided */
  readonly end: (reason: string | null) => Promise<void>;
};

export const createReports = (log: EventLog, { id, isDryRun, stream, start, origin, last }: StoredUndoJob): Reports => {
  let state: UndoState = { status: 'running' };
  let expected = last;
  let [lines, names]: [UndoLine[], number] = [[], 0];
  let writtenMs = performance.now();

  const write = async (command: UndoCommand): Promise<void> => {
    const decision = undoDecider.decide(state, command);
    if (decision.outcome === 'refused') throw new Error(`The report of a job was refused: ${decision.refusal}`);
    for (const fact of decision.events) {
      const event = sealUndoEvent(fact, { account: start.account, origin: { ...origin, correlation: id }, isDryRun });
      const appended = await appendOnce(log, stream, [event], expected);
      if (appended.outcome === 'conflict') throw new LeaseLost(id);
      expected = appended.revision;
      state = undoDecider.evolve(state, fact);
    }
  };
  const flush = async (): Promise<void> => {
    await write({ type: 'ReportUndo', undo: id, lines });
    [lines, names, writtenMs] = [[], 0, performance.now()];
  };
  return {
    add: async (line) => {
      lines.push(line);
      names += line.fields.length + line.pinpoints.length;
      const isDue = lines.length >= reportLinesMax || names >= reportNamesMax || performance.now() - writtenMs >= reportMs;
      if (isDue) await flush();
    },
    flush,
    end: (reason) => write({ type: 'EndUndo', undo: id, reason }),
  };
};
