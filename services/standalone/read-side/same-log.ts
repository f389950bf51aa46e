import type { FollowedLog } from '@waymark/event-log/follower.ts';
import type { ReadPosition } from '@waymark/read-models/read-models.ts';

/** Whether what stands there was made from this log: same incarnation, and the same event at its position.
 * That event may have been dropped as expired housekeeping; then nothing stands at the position. */
export const isSameLog = (stands: ReadPosition, log: FollowedLog): boolean => {
  const { incarnation, head } = log.state();
  if (stands.incarnation !== incarnation || stands.position > head) return false;
  if (stands.position === 0) return true;
  const [event] = log.readAfter(stands.position - 1, 1);
  return event === undefined || event.position > stands.position || event.envelope.id === stands.event;
};
