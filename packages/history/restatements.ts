import type { Position } from '@waymark/event-log/event-log.ts';
import type { Values } from './entries.ts';

/** An event of a list between the first that was not erased and the one that completed the erasure: it restated the members whose ids are in a
 * range (`from` and `to`), or added members (`added`). */
export type Restatement = { readonly position: Position; readonly values: Values };

/** The types of such events. */
export const restatementTypes = ['ListMembersRestated', 'PinpointsAdded'] as const;

/** Returns the position of the event that restated a list's member: its content is the first that is known of the membership.
 * @param from the position of the first event that was not erased */
export const restatedAt = (events: readonly Restatement[], from: Position, pinpoint: number): Position =>
  events.find(({ values }) => Number(values['from']) <= pinpoint && pinpoint <= Number(values['to']))?.position ?? from;

/** Returns whether an interval of a list's member belongs to a membership that only erased events began. It may begin later than they: where
 * its pinpoint was restored.
 * @param since the beginning of the interval */
export const isOfErased = (events: readonly Restatement[], from: Position, pinpoint: number, since: Position): boolean => {
  if (since < from) return true;
  const wasAdded = ({ position, values }: Restatement): boolean =>
    position <= since && Array.isArray(values['added']) && values['added'].includes(pinpoint);
  return since < restatedAt(events, from, pinpoint) && !events.some(wasAdded);
};
