import { mine, pinpointCreated, theirs } from '@waymark/read-models/testing/facts.ts';
import { at, beginning, recorder } from '@waymark/read-models/testing/recorder.ts';
import { createKnownClocks } from './known-clocks.ts';
import { clocksMax } from './limits.ts';

describe('the clocks of accounts that a process knows', () => {
  const { record } = recorder();
  const step = (after: number, ...accounts: readonly string[]) => {
    const events = accounts.map((account, nth) => record(account, pinpointCreated(nth + 1, account)));
    return { partition: 0, after, events, to: at(events.at(-1) ?? raise()) };
  };
  const first = step(beginning.position, mine, theirs);

  it('hold where the next step begins at the end of the last one', () => {
    const known = createKnownClocks();
    expect(known.before([first])).toEqual(new Map());
    known.note(
      [first],
      new Map([
        [mine, 1],
        [theirs, 2],
      ]),
    );
    const second = step(first.to.position, mine);
    expect(known.before([second])).toEqual(
      new Map([
        [mine, 1],
        [theirs, 2],
      ]),
    );
    known.note([second], new Map([[mine, 3]]));
    expect(known.before([step(second.to.position, mine)])).toEqual(
      new Map([
        [mine, 3],
        [theirs, 2],
      ]),
    );
  });

  it('do not hold after a step of another process, in another log or in another partition', () => {
    const known = createKnownClocks();
    known.note([first], new Map([[mine, 1]]));
    const next = step(first.to.position, mine);
    const others = [
      { ...next, after: next.after + 1 },
      { ...next, to: { ...next.to, incarnation: 'other' } },
      { ...next, partition: 1 },
    ];
    for (const other of others) expect(known.before([other])).toEqual(new Map());
  });

  it('are those of the accounts of the last events, up to a limit', () => {
    const known = createKnownClocks();
    const accounts = Array.from({ length: clocksMax + 1 }, (_, nth) => `account-${nth}`);
    const all = step(beginning.position, ...accounts);
    known.note([all], new Map(accounts.map((account, nth) => [account, nth])));
    const left = known.before([step(all.to.position, mine)]);
    expect([left.size, left.has('account-0'), left.get('account-1')]).toEqual([clocksMax, false, 1]);
  });
});

const raise = (): never => {
  throw new Error('The step has no events.');
};
