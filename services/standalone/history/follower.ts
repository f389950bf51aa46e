import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { HistoryIsRead } from '@waymark/history/history.ts';
import type { SqliteHistory } from '@waymark/history/sqlite/history.ts';
import { createBackOff } from '@waymark/timing/back-off.ts';
import { createProgress, type Progress } from '@waymark/timing/progress.ts';
import { partition } from '../read-side/apply-log.ts';
import { createCurrentHistory } from './current-history.ts';
import { followedLog, type HistoryLog } from './followed-log.ts';
import { batchCharacters, batchEvents, cleanAgainMs, failurePauses, pollMs } from './limits.ts';
import { createPoll } from './poll.ts';

/** Applies the log to the history, and cleans it after erasures. */
export type HistoryFollower = {
  /** Returns the open history; undefined while there is none. */
  readonly history: () => SqliteHistory | undefined;
  /** The position of the history. */
  readonly applied: Progress;
  /** The position up to which nothing of erased content is left. */
  readonly cleaned: Progress;
  /** Looks for new events now, not only at the next poll. */
  readonly wake: () => void;
  /** Puts another file, which was built from the log, in the place of the history's. */
  readonly replace: (file: string) => void;
  /** Has the history built again if an error says that pages of its file are damaged. */
  readonly failed: (error: unknown) => void;
  /** Finishes the step in progress, and closes the history. */
  readonly close: () => Promise<void>;
};

/** Begins to follow the log. A failure is reported, and the step is tried again after a pause. */
export const followLog = (read: HistoryLog, file: string, report: (error: Error) => void): HistoryFollower => {
  const log = followedLog(read);
  const [applied, cleaned] = [createProgress(), createProgress()];
  const closing = new AbortController();
  const backOff = createBackOff(failurePauses, closing.signal);
  const poll = createPoll();
  const clean = cleaning(report);
  const { open, current, replace, failed, close } = createCurrentHistory(log, file, async (history) => {
    cleaned.move(-1);
    applied.move((await history.position(partition))?.position ?? 0);
  });

  /** Applies a batch and cleans a step, also while writes never pause. Returns whether there is more to do now: a part of a batch can wait for the next
   * poll, because many small transactions write more pages than a large one. */
  const step = async (): Promise<boolean> => {
    const { history, incarnation } = await current();
    const batch = batchOf(log.partsAfter(applied.at(), batchEvents));
    if (log.state().head > applied.at()) {
      const position = await history.applyParts(partition, applied.at(), incarnation, batch.parts);
      if (position === undefined) throw new Error('The history is at another position than this process knows.');
      applied.move(position);
    }
    const isClean = await clean(history);
    if (isClean === undefined) return true;
    if (isClean) cleaned.move(applied.at());
    return batch.isFull() || log.state().head - applied.at() >= batchEvents;
  };
  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        const isBusy = await step();
        backOff.reset();
        await (isBusy ? nextTurn() : poll.wait(pollMs));
      } catch (error) {
        await close();
        failed(error);
        report(error as Error);
        await backOff.pause();
      }
    }
    await close();
  };
  const running = run();
  const end = async (): Promise<void> => {
    closing.abort();
    poll.end();
    await running;
  };
  return {
    ...{ history: open, applied, cleaned, wake: poll.end, failed },
    replace: (other) => {
      replace(other);
      poll.end();
    },
    close: end,
  };
};

/** Passes parts on until their contents have the characters of a batch. */
const batchOf = (all: Iterable<readonly RecordedEvent[]>) => {
  let characters = 0;
  const isFull = (): boolean => characters >= batchCharacters;
  const parts = function* () {
    for (const part of all) {
      for (const { content } of part) characters += content?.length ?? 0;
      yield part;
      if (isFull()) return;
    }
  };
  return { parts: parts(), isFull };
};

/** Creates the function that cleans a step. It returns whether nothing of erased content is left; undefined if there is more to do now. */
const cleaning = (report: (error: Error) => void) => {
  let fromMs = 0;
  return async (history: SqliteHistory): Promise<boolean | undefined> => {
    if (performance.now() < fromMs) return false;
    try {
      return (await history.clean()) ? undefined : true;
    } catch (error) {
      if (!(error instanceof HistoryIsRead)) throw error;
      report(error);
      fromMs = performance.now() + cleanAgainMs;
      return false;
    }
  };
};
