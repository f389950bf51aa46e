import { setTimeout as sleep } from 'node:timers/promises';
import { loadInFlight, noteEveryMs, rowsAheadMax } from '../limits.ts';
import { ledgerFrom, type Mark, type Outcome, type Refusal } from './ledger.ts';
import type { Row } from './row.ts';

export type Run = {
  readonly rows: AsyncGenerator<Row>;
  readonly from: Mark;
  readonly send: (row: Row) => Promise<Outcome>;
  /** Saves a mark. `open`: rows after it may have been sent. */
  readonly note: (mark: Mark, open: boolean) => Promise<void>;
  readonly onRefused: (refusal: Refusal) => void;
  readonly onMark: (mark: Mark) => void;
  /** Once aborted, no further row is sent; the run waits for the rows in flight. */
  readonly signal: AbortSignal;
};

export type Ran = {
  readonly mark: Mark;
  /** True where no row is left. */
  readonly complete: boolean;
};

/** Sends the rows after a mark, `loadInFlight` at a time, and saves the progress. */
export const runLoad = async (run: Run): Promise<Ran> => {
  let complete = false;
  const ledger = ledgerFrom(run.from, run.onRefused);
  const failed = new AbortController();
  const ended = new AbortController();
  const notes = openNotes(run, ledger.mark);
  const stop = AbortSignal.any([run.signal, failed.signal]);
  const fail = (error: unknown): never => {
    failed.abort();
    throw error;
  };

  const worker = async (): Promise<void> => {
    while (!stop.aborted) {
      const { value: row, done } = await run.rows.next();
      if (done) {
        complete = true;
        return;
      }
      if (row.row <= run.from.row) continue;
      await notes.reached(row.row - rowsAheadMax, stop);
      if (stop.aborted) return;
      ledger.settle(await run.send(row));
    }
  };

  await run.note(run.from, true);
  const noting = Promise.allSettled([notes.keep(ended.signal).catch(fail)]);
  const working = Promise.allSettled(Array.from({ length: loadInFlight }, () => worker().catch(fail)));
  const outcomes = [...(await working.finally(() => ended.abort())), ...(await noting)];
  await run.rows.return(undefined);
  run.onMark(ledger.mark());
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure !== undefined) {
    await run.note(ledger.mark(), true).catch(() => undefined);
    throw failure.reason;
  }
  await run.note(ledger.mark(), false);
  return { mark: ledger.mark(), complete };
};

/** Saves the current mark at intervals. */
const openNotes = ({ from, note, onMark }: Run, mark: () => Mark) => {
  let noted = from;
  return {
    keep: async (ended: AbortSignal): Promise<void> => {
      while (!ended.aborted) {
        await sleep(noteEveryMs, undefined, { signal: ended }).catch(() => undefined);
        const reached = mark();
        onMark(reached);
        await note(reached, true);
        noted = reached;
      }
    },
    reached: async (row: number, stop: AbortSignal): Promise<void> => {
      while (noted.row < row && !stop.aborted) await sleep(noteEveryMs / 10);
    },
  };
};
