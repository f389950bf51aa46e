import { byResourceKind, type ResourceKind, resourceKinds } from '@waymark/domain/streams.ts';
import type { Position } from '../event-log.ts';

/** The facts of a log when it was last read. They are kept outside the log, so that an older copy in the log's place is detected. */
export type LogFacts = {
  readonly incarnation: string;
  /** Position and id of the log's last event; 0 and empty where it had none. */
  readonly head: Position;
  readonly event: string;
  /** The highest ids: no higher ones were given out. */
  readonly ids: HighestIds;
};

export type HighestIds = Readonly<Record<ResourceKind, number>>;

/** Facts that also name the stream and the revision of the last event; empty and 0 where no event is named. */
export type KnownFacts = LogFacts & { readonly stream: string; readonly revision: number };

/** The current state of a log, as far as facts are compared with it. */
export type ComparedLog = {
  readonly incarnation: string;
  readonly head: Position;
  /** The last id that the log has reserved in each sequence. */
  readonly ids: HighestIds;
  /** The former incarnations of the log, and those that a renewal has set aside. */
  readonly formerNames: readonly string[];
  /** The id of the log's event in the place that the facts name: empty where the log has none, undefined where it cannot be determined. */
  readonly eventThere: string | undefined;
};

/** The result of comparing facts with a log. `fits`: the log has all that they name. `former`: they belong to a former incarnation and say
 * nothing about the log now. Every other value: the log was rolled back to an older copy. */
export type Finding = 'fits' | 'former' | RolledBack;
export type RolledBack = 'shorter' | 'other event' | 'unknown incarnation' | 'missing ids';

/** Compares facts with a log. The facts must have been read before the log's state. */
export const compareFacts = (facts: KnownFacts, log: ComparedLog): Finding => {
  if (facts.incarnation !== log.incarnation) return log.formerNames.includes(facts.incarnation) ? 'former' : 'unknown incarnation';
  if (facts.head > log.head) return 'shorter';
  if (facts.event !== '' && log.eventThere !== undefined && log.eventThere !== facts.event) return 'other event';
  return exceeds(facts.ids, log.ids) ? 'missing ids' : 'fits';
};

export const isRolledBack = (finding: Finding): finding is RolledBack => finding !== 'fits' && finding !== 'former';

/** Returns whether any id is above the other's. */
export const exceeds = (one: HighestIds, other: HighestIds): boolean => resourceKinds.some((resource) => one[resource] > other[resource]);

/** Merges facts of one incarnation to all that either of them names. */
export const mergeFacts = (one: KnownFacts, other: KnownFacts): KnownFacts => ({
  ...(other.head > one.head ? other : one),
  ids: highestOf(one.ids, other.ids),
});

/** Returns whether facts name something that other facts of the same incarnation do not. */
export const isLater = (one: KnownFacts, other: KnownFacts): boolean => one.head > other.head || exceeds(one.ids, other.ids);

export const noIds: HighestIds = byResourceKind(() => 0);

export const highestOf = (one: HighestIds, other: HighestIds): HighestIds => byResourceKind((kind) => Math.max(one[kind], other[kind]));
