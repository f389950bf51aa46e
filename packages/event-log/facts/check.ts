import type { LogState } from '../event-log.ts';
import { compareFacts, exceeds, type Finding, type HighestIds, type KnownFacts } from './facts.ts';
import type { KnownLog } from './known-log.ts';

/** Facts, and the source that they were read from. */
export type StoreFacts = { readonly source: string; readonly facts: KnownFacts };

/** Compares facts with the state of the log, which was read after them.
 * @throws LogUnavailable */
export type FactsCheck = (known: StoreFacts, state: LogState) => Promise<Finding>;

/** How many sources and incarnations are remembered as compared. */
const comparedMax = 100;

/** Creates a check that reads as little of the log as the comparison needs, usually nothing. The facts' event is compared once for each
 * source and incarnation. That suffices: while this process reads the facts, the processes that write them compare them, too. */
export const createFactsCheck = (log: KnownLog): FactsCheck => {
  let names: { readonly incarnation: string; readonly former: readonly string[] } | undefined;
  let reserved: { readonly incarnation: string; readonly ids: HighestIds } | undefined;
  /** The compared events: true where the log has another event in their place. */
  const compared = new Map<string, boolean>();

  const formerNames = async (incarnation: string): Promise<readonly string[]> => {
    if (names?.incarnation !== incarnation) names = { incarnation, former: await log.formerNames() };
    return names.former;
  };
  /** Returns the reserved ids. They only increase, so the last ones that were read suffice for facts that name no higher ones. */
  const reservedFor = async (facts: KnownFacts): Promise<HighestIds> => {
    if (reserved?.incarnation !== facts.incarnation || exceeds(facts.ids, reserved.ids)) reserved = await log.facts();
    return reserved.ids;
  };
  const isOther = async ({ source, facts: { incarnation, event, stream, revision } }: StoreFacts): Promise<boolean> => {
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
