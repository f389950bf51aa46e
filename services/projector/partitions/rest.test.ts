import { largeRoundEvents } from '../limits.ts';
import { restAfter } from './rest.ts';

describe('the rest after a round', () => {
  it.each([
    ['four times as long as the round took', { events: 1, tookMs: 5 }, 250, 20],
    ['over when the next round is due', { events: 1, tookMs: 100 }, 250, 150],
    ['left out after a longer round', { events: 1, tookMs: 300 }, 250, 0],
    ['left out after many events', { events: largeRoundEvents, tookMs: 5 }, 250, 0],
    ['left out while it reads the log', { events: 1, tookMs: 5, isCatchingUp: true }, 250, 0],
    ['left out by a projection that never rests', { events: 1, tookMs: 5 }, 0, 0],
  ])('is %s', (_, round, roundEveryMs, expected) => {
    expect(restAfter({ isCatchingUp: false, ...round }, roundEveryMs)).toBe(expected);
  });
});
