import { clockJumpMs, createClockJumps } from './clock-jumps.ts';

const begunMs = Date.parse('2026-06-01T08:00:00.000Z');

/** Returns what is found in events of some accounts, each at a number of seconds. */
const foundIn = (events: readonly (readonly [account: string, seconds: number])[], foundMax = 10): readonly string[] => {
  const jumps = createClockJumps(clockJumpMs.standalone, foundMax);
  for (const [revision, [account, seconds]] of events.entries()) {
    jumps.add({ stream: 'pinpoint-1', revision, envelope: { account, time: new Date(begunMs + seconds * 1_000).toISOString() } });
  }
  return jumps.found();
};

describe('a jump of a clock', () => {
  it('is found where an event is over 5 s before an earlier one of its account', () => {
    expect(
      foundIn([
        ['a', 10],
        ['a', 5],
        ['a', 4.9],
      ]),
    ).toEqual(['pinpoint-1, revision 2: its time is 5 s before that of an earlier event of its account.']);
  });

  it('is named once, by its first event', () => {
    expect(
      foundIn([
        ['a', 100],
        ['a', 1],
        ['a', 2],
        ['a', 101],
        ['a', 3],
      ]),
    ).toEqual([expect.stringContaining('revision 1: its time is 99 s'), expect.stringContaining('revision 4: its time is 98 s')]);
  });

  it('is none where other accounts are ahead', () => {
    expect(
      foundIn([
        ['a', 100],
        ['b', 1],
        ['b', 2],
      ]),
    ).toEqual([]);
  });

  it('is left out beyond the maximum', () => {
    expect(
      foundIn(
        [
          ['a', 100],
          ['a', 1],
          ['b', 100],
          ['b', 1],
        ],
        1,
      ),
    ).toHaveLength(1);
  });
});
