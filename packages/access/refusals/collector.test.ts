import { sampleRefused } from '../testing/sample-refused.ts';
import { type Collected, createCollector } from './collector.ts';
import { accountsMax, keptMax, keptPerAccountMax } from './limits.ts';

const sizes = (all: readonly Collected[]) => all.map(({ refusals, more }) => [refusals.length, more]);

describe('the refused requests that a process collects', () => {
  it('are taken once, by account and day', () => {
    const collector = createCollector();
    for (const account of ['a', 'b', 'a']) collector.note(sampleRefused(account));
    expect(collector.take().map(({ account, refusals }) => [account, refusals.length])).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    expect(collector.take()).toEqual([]);
  });

  it('are kept up to a number of each account, and counted above it', () => {
    const collector = createCollector();
    for (let nth = 0; nth < keptPerAccountMax + 5; nth += 1) collector.note(sampleRefused('a'));
    expect(sizes(collector.take())).toEqual([[keptPerAccountMax, 5]]);
  });

  it('of several threads are kept and counted as if one had collected them, oldest first', () => {
    const [one, other] = [createCollector(), createCollector()];
    const first = { time: '2026-06-01T08:00:00.000Z', ...sampleRefused('a') };
    const second = { ...first, time: '2026-06-01T08:00:01.000Z' };
    const day = { account: 'a', day: '2026-06-01' };
    one.add({ ...day, refusals: [second], more: 3 });
    other.add({ ...day, refusals: Array.from({ length: keptPerAccountMax }, () => first), more: 0 });
    for (const taken of other.take()) one.add(taken);
    const [all] = one.take();
    expect(all).toMatchObject({ more: 4, refusals: { length: keptPerAccountMax } });
    expect(all?.refusals.at(-1)).toEqual(second);
  });

  it('take a bounded memory, which is free again once they are released', () => {
    const collector = createCollector();
    const accounts = Array.from({ length: keptMax / keptPerAccountMax + 1 }, (_, nth) => `account-${nth}`);
    const fill = (): void => {
      for (const account of accounts) for (let nth = 0; nth < keptPerAccountMax; nth += 1) collector.note(sampleRefused(account));
    };
    fill();
    const taken = collector.take();
    expect(sizes(taken).at(-1)).toEqual([0, keptPerAccountMax]);
    fill();
    expect(sizes(collector.take())).toEqual(accounts.map(() => [0, keptPerAccountMax]));
    for (const one of taken) collector.release(one);
    fill();
    expect(sizes(collector.take())).toEqual(sizes(taken));
  });

  it('of too many accounts are ignored, and their number is reported once', () => {
    const collector = createCollector();
    for (let nth = 0; nth < accountsMax + 3; nth += 1) collector.note(sampleRefused(`account-${nth}`));
    collector.note(sampleRefused('account-0'));
    expect([collector.ignored(), collector.ignored()]).toEqual([3, 0]);
    expect(collector.take()).toHaveLength(accountsMax);
  });
});
