import { recorded } from '@waymark/domain/testing/samples.ts';
import type { FollowedLog } from '@waymark/event-log/follower.ts';
import { isSameLog } from './same-log.ts';

const events = [1, 2, 4, 5].map((position) => {
  const event = recorded('PinpointEdited', 1, '{}');
  return { ...event, position, envelope: { ...event.envelope, id: `event-${position}` } };
});
const log: FollowedLog = {
  state: () => ({ incarnation: 'one', installation: 'here', head: 5 }),
  readAfter: (after, limit) => events.filter(({ position }) => position > after).slice(0, limit),
};
const standsAt = (position: number, event: string, incarnation = 'one') => isSameLog({ incarnation, position, event }, log);

describe('a position reached in a log', () => {
  it('matches the log if it has the same event at that position', () => {
    expect([standsAt(5, 'event-5'), standsAt(2, 'event-2'), standsAt(0, '')]).toEqual([true, true, true]);
  });

  it('does not match a log of the same incarnation and length with another event there', () => {
    expect([standsAt(5, 'another'), standsAt(2, 'another'), standsAt(1, '')]).toEqual([false, false, false]);
  });

  it('does not match a log of another incarnation, or one that ends before', () => {
    expect([standsAt(5, 'event-5', 'two'), standsAt(0, '', 'two'), standsAt(6, 'event-6')]).toEqual([false, false, false]);
  });

  it('matches if the event was removed since, as expired housekeeping events are', () => {
    expect(standsAt(3, 'event-3')).toBe(true);
  });
});
