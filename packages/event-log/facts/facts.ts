import { type ResourceKind, resourceKinds } from '@waymark/domain/streams.ts';
import type { Position } from '../event-log.ts';

/** What was known of a log when it was last looked at. It is kept outside the log, so that an older copy in the log's place is noticed. */
export type LogFacts = {
  readonly incarnation: string;
  /** Position and id of its last event; 0 and empty where it had none. */
  readonly head: Position;
  readonly event: string;
  /** No higher id was given out. */
  readonly ids: HighestIds;
};

export type HighestIds = Readonly<Record<ResourceKind, number>>;

/** Facts that say in which stream, and at which revision, the last event is; empty and 0 where no event is named. */
export type KnownFacts = LogFacts & { readonly stream: string; readonly revision: number };

/** A log as it is now, as far as facts are compared with it. */
export type ComparedLog = {
  readonly incarnation: string;
  readonly head: Position;
  /** The last id of each sequence that the log has reserved. */
  readonly ids: HighestIds;
  /** The names that the log had before, and those that a renewal has put aside. */
  readonly formerNames: readonly string[];
  /** Id of the event that the log has where the facts have theirs: empty where it has none, undefined where nobody can tell. */
  readonly eventThere: string | undefined;
};

/** What facts say of a log. `fits`: it has all of it. `former`: they are of a name that the log had before, and say nothing of it now. All else:
 * the log was rolled back to an older copy. */
export type Finding = 'fits' | 'former' | RolledBack;
export type RolledBack = 'shorter' | 'other event' | 'unknown incarnation' | 'missing ids';

/** The facts have to be older than the log's answer. */
export const compareFacts = (facts: KnownFacts, log: ComparedLog): Finding => {
  if (facts.incarnation !== log.incarnation) return log.formerNames.includes(facts.incarnation) ? 'former' : 'unknown incarnation';
  if (facts.head > log.head) return 'shorter';
  if (facts.event !== '' && log.eventThere !== undefined && log.eventThere !== facts.event) return 'other event';
  return exceeds(facts.ids, log.ids) ? 'missing ids' : 'fits';
};

export const isRolledBack = (finding: Finding): finding is RolledBack => finding !== 'fits' && finding !== 'former';

/** Whether some id is above the other's. */
export const exceeds = (one: HighestIds, other: HighestIds): boolean => resourceKinds.some((resource) => one[resource] > other[resource]);

/** Both of one incarnation: all that either knows. */
export const mergeFacts = (one: KnownFacts, other: KnownFacts): KnownFacts => ({
  ...(other.head > one.head ? other : one),
  ids: highestOf(one.ids, other.ids),
});

/** Whether facts say something that the others, of the same incarnation, do not. */
export const isLater = (one: KnownFacts, other: KnownFacts): boolean => one.head > other.head || exceeds(one.ids, other.ids);

export const noIds: HighestIds = { pinpoint: 0, list: 0, category: 0, happening: 0 };

export const highestOf = (one: HighestIds, other: HighestIds): HighestIds => ({
  pinpoint: Math.max(one.pinpoint, other.pinpoint),
  list: Math.max(one.list, other.list),
  category: Math.max(one.category, other.category),
  happening: Math.max(one.happening, other.happening),
});
