import { partitionOf } from '@waymark/domain/partitions.ts';
import { account, advance, elsewhere, outcomeOf, partitions, raise, useTestTimers, waiterSetup } from '../testing/visibility.ts';

useTestTimers();

describe('an announcement', () => {
  it('ends the waits that it covers, at once and without a query', async () => {
    const { announce, queries, visible } = waiterSetup();
    const [one, other] = [outcomeOf(visible(account, 5)), outcomeOf(visible(account, 6))];
    announce(5);
    await advance(0);
    expect([one.now, other.now]).toEqual([true, 'waiting']);
    announce(60);
    await advance(0);
    expect(other.now).toBe(true);
    expect(queries).toEqual([]);
    expect(visible(account, 60)).toBe(true);
  });

  it('that arrived before the wait began counts as well', () => {
    const { announce, visible } = waiterSetup();
    announce(5);
    expect(visible(account, 5)).toBe(true);
  });

  it('has no effect if it is repeated, late, out of order, or of another partition', async () => {
    const { announce, visible } = waiterSetup();
    for (const position of [5, 5, 3, 5, 0, -7]) announce(position);
    expect(visible(account, 5)).toBe(true);
    for (const other of [partitionOf(elsewhere, partitions), -1, partitions, 1e9]) announce(100, '2-1', other);
    const outcome = outcomeOf(visible(account, 6));
    await advance(2_000);
    expect(outcome.now).toBe(false);
  });

  it('counts only once it covers every generation that writes wait for', async () => {
    const { announce, reached, visible } = waiterSetup();
    reached.generations = ['2-1', '3-1'];
    const outcome = outcomeOf(visible(account, 5));
    announce(5, '2-1');
    announce(4, '3-1');
    await advance(0);
    expect(outcome.now).toBe('waiting');
    announce(5, '3-1');
    await advance(0);
    expect(outcome.now).toBe(true);
  });

  it('of a generation that no write waits for is ignored', async () => {
    const { announce, reached, visible } = waiterSetup();
    announce(5, '3-1');
    const outcome = outcomeOf(visible(account, 5));
    await advance(0);
    expect(outcome.now).toBe('waiting');
    reached.generations = ['3-1'];
    await advance(9);
    expect(outcome.now).toBe('waiting');
    reached.position = 5;
    await advance(1);
    expect(outcome.now).toBe(true);
  });

  it('no longer counts once its generation was removed and returned', () => {
    const { announce, reached, visible } = waiterSetup({ waitMs: 0 });
    announce(5);
    reached.generations = [];
    expect(visible(account, 1)).not.toBe(true);
    reached.generations = ['2-1'];
    expect(visible(account, 1)).not.toBe(true);
  });

  it('covers nothing where no generation is live, or the live ones are unknown', async () => {
    for (const awaited of [() => [], () => raise()]) {
      const { announce, reached, visible } = waiterSetup({ awaited });
      reached.position = 5;
      announce(5);
      const outcome = outcomeOf(visible(account, 5));
      await advance(2_000);
      expect(outcome.now).toBe(false);
    }
  });

  it('saves the first queries of a partition that was announced within a second, in every generation that counts', async () => {
    const { announce, queries, reached, visible } = waiterSetup();
    reached.generations = ['2-1', '3-1'];
    for (const generation of reached.generations) announce(1, generation);
    const outcome = outcomeOf(visible(account, 5));
    await advance(249);
    expect(queries).toEqual([]);
    reached.position = 5;
    await advance(1);
    expect(outcome.now).toBe(true);
    expect(queries).toHaveLength(1);

    await advance(990);
    announce(5, '2-1');
    const next = outcomeOf(visible(account, 6));
    reached.position = 6;
    await advance(10);
    expect(next.now).toBe(true);
  });
});
