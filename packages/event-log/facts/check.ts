import type { LogState } from '../event-log.ts';
import { compareFacts, exceeds, type Finding, type HighestIds, type KnownFacts } from './facts.ts';
import type { KnownLog } from './known-log.ts';

/** Facts, and where they were read. */
export type Known = { readonly source: string; readonly facts: KnownFacts };

/** Compares facts with what the log said after they were read. @throws LogUnavailable */
export type FactsCheck = (known: Known, state: LogState) => Promise<Finding>;

/** Events of so many sources and incarnations are remembered as compared. */
const comparedMax = 100;

/** Asks the log for as little as the comparison needs: mostly nothing. The facts' event is compared once for each source and incarnation: as long as
 * this process reads its facts, they are written by processes that compare, too. */
export const createFactsCheck = (log: KnownLog): FactsCheck => {
  let names: { readonly incarnation: string; readonly former: readonly string[] } | undefined;
  let reserved: { readonly incarnation: string; readonly ids: HighestIds } | undefined;
  /** The events that were compared, and whether the log has another in their place. */
  const compared = new Map<string, boolean>();

  const formerNames = async (incarnation: string): Promise<readonly string[]> => {
    if (names?.incarnation !== incarnation) names = { incarnation, former: await log.formerNames() };
    return names.former;
  };
  /** They only rise: those that were once read are enough for facts that say no more. */
  const reservedFor = async (facts: KnownFacts): Promise<HighestIds> => {
    if (reserved?.incarnation !== facts.incarnation || exceeds(facts.ids, reserved.ids)) reserved = await log.facts();
    return reserved.ids;
  };
  const isOther = async ({ source, facts: { incarnation, event, stream, revision } }: Known): Promise<boolean> => {
    if (event === '') return false;
    const key = `${source} ${incarnation}`;
    const known = compared.get(key);
    if (known !== undefined) return known;
    const there = await log.eventAt(stream, revision);
    const other = there !== undefined && there !== event;
    if (compared.size >= comparedMax) compared.clear();
    compared.set(key, other);
    return other;
  };

  return async (known, { incarnation, head }) => {
    const { facts } = known;
    const isOfLog = facts.incarnation === incarnation;
    const isWithin = isOfLog && facts.head <= head;
    return compareFacts(facts, {
      incarnation,
      head,
      ids: isWithin ? await reservedFor(facts) : facts.ids,
      formerNames: isOfLog ? [] : await formerNames(incarnation),
      eventThere: isWithin && (await isOther(known)) ? '' : undefined,
    });
  };
};
