import { type Lane, newLane, plan, settle } from './lane.ts';

const incarnation = 'log';
const at = (position: number) => ({ incarnation, position, event: '' });
const record = (previous: number, position: number, doubtful = false) => ({
  partition: 0,
  incarnation,
  previous,
  position,
  eventId: '',
  event: null,
  ...(doubtful ? { doubtful } : {}),
});

/** What is read from the log for a partition that stands at 10, once these records were dealt with while a reading for doubts is due. */
const goalAfter = (records: readonly ReturnType<typeof record>[], changes: Partial<Lane> = {}): number => {
  const lane = Object.assign(newLane(0), { stands: at(10), known: 10, doubted: true }, changes);
  lane.waiting.push({ records, taken: 0, log: undefined, resolve: () => undefined, reject: () => undefined });
  settle(plan(lane, at(10), { events: 100, characters: 100 }));
  return lane.goal;
};

describe('what is missing while a reading for doubts is due', () => {
  it('is left to that reading where records right before it were left out', () => {
    expect(goalAfter([record(11, 12, true)])).toBe(0);
  });

  it('is left to it, too, where it only follows what was left to it', () => {
    expect(goalAfter([record(11, 12, true), record(12, 13), record(12, 13), record(13, 15)])).toBe(0);
  });

  it('is read at once where records were lost and not left out', () => {
    expect(goalAfter([record(11, 12)])).toBe(12);
    expect(goalAfter([record(11, 12, true), record(13, 14)])).toBe(14);
  });

  it('is read with what is being read anyway', () => {
    expect(goalAfter([record(11, 12, true)], { goal: 11 })).toBe(12);
  });

  it('is read at once where no reading is due any more', () => {
    expect(goalAfter([record(11, 12, true)], { doubted: false })).toBe(12);
  });

  it('is nothing where there is no gap', () => {
    expect(goalAfter([record(10, 12, true), record(12, 14)])).toBe(0);
  });
});
