import type { FollowedLog } from '@waymark/event-log/follower.ts';
import type { ReadPosition } from '@waymark/read-models/read-models.ts';

/** Returns whether the position was reached in this log: the incarnation and the event at the position are the same. The event may have
 * been removed as expired housekeeping; then the log has no event at the position. */
export const isSameLog = (reached: ReadPosition, log: FollowedLog): boolean => {
  const { incarnation, head } = log.state();
  if (reached.incarnation !== incarnation || reached.position > head) return false;
  if (reached.position === 0) return true;
  const [event] = log.readAfter(reached.position - 1, 1);
  return event === undefined || event.position > reached.position || event.envelope.id === reached.event;
};
