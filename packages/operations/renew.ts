import type { EventLog } from '@waymark/event-log/event-log.ts';
import { type HighestIds, highestOf, type KnownFacts, noIds } from '@waymark/event-log/facts/facts.ts';
import { skipIds } from '@waymark/event-log/id-allocator.ts';
import { conflict } from '@waymark/http/errors.ts';
import type { Renewed } from './api/answers.ts';

export type RenewOptions = {
  readonly log: EventLog;
  /** Gives the log a new incarnation.
   * @param aside the known names of this log, even if the log itself does not have them
   * @returns undefined if the log has another incarnation than expected */
  readonly renewIncarnation: (expected: string, aside: readonly string[]) => Promise<string | undefined>;
  /** Returns the known facts of the log from each store that responds. */
  readonly knownFacts: () => Promise<readonly KnownFacts[]>;
  /** Returns the highest ids in the read models, if they are available. */
  readonly shownIds: () => Promise<HighestIds>;
  readonly writes: { readonly closed: () => Promise<boolean> };
};

/** Gives a rolled-back log a new identity. No id, entity tag, cursor or token of the lost events stays valid, and all data computed from
 * the log is rebuilt. The new incarnation is set last, so an interrupted renewal can be repeated.
 * @throws HttpError 409, 503; LogUnavailable, AppendUndecided */
export const renew = async ({ log, renewIncarnation, knownFacts, shownIds, writes }: RenewOptions): Promise<Renewed> => {
  if (!(await writes.closed())) throw conflict('Writes are open: close them first (waymark writes close).');
  const { incarnation: before } = await log.state();
  // The read models and the facts may contain ids and incarnations that the log has lost. If they are unavailable, only the ids of the log
  // itself are skipped.
  const [shown, facts] = await Promise.all([shownIds().catch(() => noIds), knownFacts()]);
  await skipIds(
    log,
    facts.reduce((highest, { ids }) => highestOf(highest, ids), shown),
  );
  const names = new Set(facts.map((one) => one.incarnation));
  const incarnation = await renewIncarnation(before, [...names]);
  if (incarnation === undefined) throw conflict('Another process has renewed the event log.');
  return { before, incarnation };
};
