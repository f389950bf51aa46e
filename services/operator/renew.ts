import { type HighestIds, skipIds } from '@waymark/commands/app.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { conflict } from '@waymark/http/problems.ts';
import type { Writes } from '@waymark/process/writes.ts';

export type RenewOptions = {
  readonly log: EventLog;
  /** @returns undefined where the log has another incarnation than expected */
  readonly renewIncarnation: (expected: string) => Promise<string | undefined>;
  /** The highest ids that the read side knows of, where it answers. */
  readonly shownIds: () => Promise<HighestIds>;
  readonly writes: Pick<Writes, 'closed'>;
};

export type Renewed = { readonly before: string; readonly incarnation: string };

/** Makes a log that was put back a log of its own: no id, entity tag, cursor or token of what it forgot counts any more, and everything that
 * was made from it is made anew. The new name comes last, so that it is done again where it was cut off.
 * @throws Problem 409, 503; LogUnavailable, AppendUndecided */
export const renew = async ({ log, renewIncarnation, shownIds, writes }: RenewOptions): Promise<Renewed> => {
  if (!(await writes.closed())) throw conflict('Writes are open: close them first (waymark writes close).');
  const { incarnation: before } = await log.state();
  // It may know of ids that the log has forgotten. Where it is away, the log's own are skipped all the same.
  await skipIds(log, await shownIds().catch(() => none));
  const incarnation = await renewIncarnation(before);
  if (incarnation === undefined) throw conflict('The event log was renewed by somebody else.');
  return { before, incarnation };
};

const none: HighestIds = { pinpoint: 0, list: 0, category: 0, happening: 0 };
