import type { EventLog } from '@waymark/event-log/event-log.ts';
import { type HighestIds, highestOf, type KnownFacts, noIds } from '@waymark/event-log/facts/facts.ts';
import { skipIds } from '@waymark/event-log/id-allocator.ts';
import { conflict } from '@waymark/http/errors.ts';

export type RenewOptions = {
  readonly log: EventLog;
  /** @param aside names that are known of this log, whether it knows them or not
   * @returns undefined where the log has another incarnation than expected */
  readonly renewIncarnation: (expected: string, aside: readonly string[]) => Promise<string | undefined>;
  /** What is known of the log outside of it, by each store that answers. */
  readonly knownFacts: () => Promise<readonly KnownFacts[]>;
  /** The highest ids that the read side knows of, where it answers. */
  readonly shownIds: () => Promise<HighestIds>;
  readonly writes: { readonly closed: () => Promise<boolean> };
};

export type Renewed = { readonly before: string; readonly incarnation: string };

/** Makes a log that was put back a log of its own: no id, entity tag, cursor or token of what it forgot counts any more, and everything that
 * was made from it is made anew. The new name comes last, so that it is done again where it was cut off.
 * @throws HttpError 409, 503; LogUnavailable, AppendUndecided */
export const renew = async ({ log, renewIncarnation, knownFacts, shownIds, writes }: RenewOptions): Promise<Renewed> => {
  if (!(await writes.closed())) throw conflict('Writes are open: close them first (waymark writes close).');
  const { incarnation: before } = await log.state();
  // They may know of ids, and of names, that the log has forgotten. Where they are away, the log's own are skipped all the same.
  const [shown, facts] = await Promise.all([shownIds().catch(() => noIds), knownFacts()]);
  await skipIds(
    log,
    facts.reduce((highest, { ids }) => highestOf(highest, ids), shown),
  );
  const names = new Set(facts.map((one) => one.incarnation));
  const incarnation = await renewIncarnation(before, [...names]);
  if (incarnation === undefined) throw conflict('The event log was renewed by somebody else.');
  return { before, incarnation };
};
