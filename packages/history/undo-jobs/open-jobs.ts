import { undosStream } from '@waymark/domain/streams.ts';
import { appendOnce } from '@waymark/event-log/append-once.ts';
import { type EventLog, LogUnavailable, nextRevision, type Revision } from '@waymark/event-log/event-log.ts';
import { readEnd, readEvents } from '@waymark/event-log/read-stream.ts';
import { sealHousekeeping, waymark } from '@waymark/event-log/seal.ts';

/** Conflicts of an append to the list of jobs. */
const conflictsMax = 16;

/** The content of `UndoListed`. `oldest`: from this revision on, the list has each job that had started and not ended by then. Stored: never
 * rename. */
type StoredListing = { readonly undo: string; readonly account: string; readonly ended: boolean; readonly oldest: number };

/** A job that has started and not ended. */
export type OpenUndo = {
  readonly account: string;
  /** When it was listed, in milliseconds since 1970. */
  readonly listedMs: number;
  /** The revision at which it was listed. */
  readonly listed: number;
};

/** The jobs that have started and not ended, as far as the list was read. */
export type OpenUndos = {
  /** Reads the list on.
   * @throws LogUnavailable */
  readonly update: () => Promise<void>;
  /** Lists that a job starts, or that it has ended.
   * @throws LogUnavailable, AppendUndecided */
  readonly list: (undo: string, account: string, ended: boolean) => Promise<void>;
  readonly jobs: ReadonlyMap<string, OpenUndo>;
};

export const createOpenUndos = (log: EventLog): OpenUndos => {
  const jobs = new Map<string, OpenUndo>();
  let last: Revision = 'none';
  let before: Promise<unknown> = Promise.resolve();
  /** One after the other: two reads at once would take jobs that have ended for open ones, and two appends would conflict. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = before.then(work);
    before = done.catch(() => undefined);
    return done;
  };

  const readOn = async (): Promise<void> => {
    const from = last === 'none' ? await oldestIn(log) : nextRevision(last);
    for await (const { revision, content, envelope } of readEvents(log.read, undosStream, from)) {
      last = revision;
      if (content === null) continue;
      const { undo, account, ended }: StoredListing = JSON.parse(content);
      if (ended) jobs.delete(undo);
      else jobs.set(undo, { account, listedMs: Date.parse(envelope.time), listed: revision });
    }
  };
  const append = async (undo: string, account: string, ended: boolean): Promise<void> => {
    for (let conflicts = 0; conflicts < conflictsMax; conflicts += 1) {
      const [end = 'none'] = await log.lastRevisions([undosStream]);
      await readOn();
      // Events of other programs are not read.
      const expected = nextRevision(last) > nextRevision(end) ? last : end;
      const others = [...jobs].flatMap(([id, { listed }]) => (id === undo ? [] : [listed]));
      const content: StoredListing = { undo, account, ended, oldest: Math.min(nextRevision(expected), ...others) };
      const event = sealHousekeeping({ type: 'UndoListed', version: 1, content, origin: waymark });
      // At exactly the revision up to which the list was read, so that `oldest` leaves no job out.
      if ((await appendOnce(log, undosStream, [event], expected)).outcome !== 'conflict') return;
    }
    throw new LogUnavailable('Too many undo jobs start or end at the same time.');
  };
  return { jobs, update: () => inTurn(readOn), list: (...of) => inTurn(() => append(...of)) };
};

/** Returns the revision from which on the list has all open jobs, so that a process that starts need not read the list of years. */
const oldestIn = async (log: EventLog): Promise<number> => {
  const { event } = await readEnd(log, undosStream);
  const listing: Partial<StoredListing> = JSON.parse(event?.content ?? '{}');
  return listing.oldest ?? 0;
};
