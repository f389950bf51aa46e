import { randomUUID } from 'node:crypto';
import type { NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { appendOnce } from './append-once.ts';
import type { EventLog, Revision } from './event-log.ts';
import { readEnd } from './read-stream.ts';

/** Another process has the lease. */
export class LeaseLost extends Error {}

/** A note of the process that does some work. `holder`: a random name of the run, which ends a time after the note unless another note
 * follows; null: no process does the work. */
export type LeaseNote<Progress> = { readonly holder: string | null; readonly progress: Progress };

/** The right to do some work, which is renewed until it is released or closed. It only saves work: two processes that do it at once must do
 * no harm. */
export type Lease<Progress> = {
  /** Notes how far the work is, with the next renewal.
   * @throws LeaseLost */
  readonly progressed: (progress: Progress) => void;
  /** Notes how far the work is.
   * @throws LeaseLost, LogUnavailable, AppendUndecided */
  readonly note: (progress: Progress) => Promise<void>;
  /** Notes how far the work is, and lets another process continue it at once.
   * @throws as `note` */
  readonly release: (progress: Progress) => Promise<void>;
  /** Stops the renewals. */
  readonly close: () => Promise<void>;
};

export type LeaseOptions<Progress> = {
  readonly log: Pick<EventLog, 'append' | 'read' | 'lastRevisions'>;
  /** The stream of the notes; the last one counts. */
  readonly stream: string;
  readonly seal: (note: LeaseNote<Progress>) => NewEvent;
  readonly noteIn: (event: RecordedEvent) => LeaseNote<Progress> | undefined;
  /** Returns the progress that the first note has, from the last note of an earlier run. */
  readonly begin: (earlier: LeaseNote<Progress> | undefined) => Progress;
  /** True if no other process uses the log: a lease that has not ended belongs to a process that has. */
  readonly isAlone: boolean;
  /** How long a process has the lease after its last note, and how often it writes one, in milliseconds. */
  readonly leaseMs: number;
  readonly noteMs: number;
};

/** Returns whether a process has the lease that a note shows. */
export const isHeld = ({ envelope }: RecordedEvent, note: LeaseNote<unknown> | undefined, leaseMs: number): boolean =>
  note !== undefined && note.holder !== null && Date.now() - Date.parse(envelope.time) < leaseMs;

/** Takes the lease; undefined if another process has it.
 * @throws LogUnavailable, AppendUndecided */
export const takeLease = async <Progress>(options: LeaseOptions<Progress>): Promise<Lease<Progress> | undefined> => {
  const { log, stream, seal, noteIn, begin, isAlone, leaseMs, noteMs } = options;
  const { revision, event } = await readEnd(log, stream);
  const earlier = event && noteIn(event);
  if (!isAlone && event !== undefined && isHeld(event, earlier, leaseMs)) return undefined;
  const holder = randomUUID();
  let latest = begin(earlier);
  let last: Revision = revision;
  let isLost = false;
  let appending = Promise.resolve();

  const append = async (by: string | null): Promise<void> => {
    if (isLost) throw new LeaseLost(stream);
    const appended = await appendOnce(log, stream, [seal({ holder: by, progress: latest })], last);
    isLost = appended.outcome === 'conflict';
    if (appended.outcome === 'conflict') throw new LeaseLost(stream);
    last = appended.revision;
  };
  /** Appends notes one after the other. */
  const appendNext = (by: string | null): Promise<void> => {
    const appended = appending.then(() => append(by));
    appending = appended.catch(() => undefined);
    return appended;
  };
  try {
    await appendNext(holder);
  } catch (error) {
    if (error instanceof LeaseLost) return undefined;
    throw error;
  }
  // A renewal that fails is tried again; the work itself finds out that the log is unavailable.
  const timer = setInterval(() => void appendNext(holder).catch(() => undefined), noteMs).unref();
  const progressed = (progress: Progress): void => {
    latest = progress;
    if (isLost) throw new LeaseLost(stream);
  };
  const close = async (): Promise<void> => {
    clearInterval(timer);
    await appending;
  };
  return {
    progressed,
    note: (progress) => {
      progressed(progress);
      return appendNext(holder);
    },
    release: async (progress) => {
      await close();
      progressed(progress);
      await appendNext(null);
    },
    close,
  };
};
