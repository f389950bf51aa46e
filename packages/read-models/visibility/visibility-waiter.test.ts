import { partitionOf } from '@waymark/domain/partitions.ts';
import { ReadModelsUnavailable } from '../read-models.ts';
import { account, advance, elsewhere, outcomeOf, partition, partitions, raise, useTestTimers, waiterSetup } from '../testing/visibility.ts';

useTestTimers();

describe('a wait for the read models, without announcements', () => {
  it('queries at 10, 50 and 250 ms and every 250 ms after, and ends at its time limit', async () => {
    const { queries, visible } = waiterSetup({ announcements: undefined });
    const outcome = outcomeOf(visible(account, 5));
    const asked: number[] = [];
    for (let ms = 0; ms < 2_000; ms += 5) {
      if (queries.splice(0).length > 0) asked.push(ms);
      expect(outcome.now).toBe('waiting');
      await advance(5);
    }
    expect(asked).toEqual([10, 50, 250, 500, 750, 1_000, 1_250, 1_500, 1_750]);
    expect(outcome.now).toBe(false);
  });

  it('ends with the query that finds the position reached', async () => {
    const { queries, reached, visible } = waiterSetup({ announcements: undefined });
    const outcome = outcomeOf(visible(account, 5));
    reached.position = 4;
    await advance(49);
    expect(outcome.now).toBe('waiting');
    reached.position = 5;
    await advance(1);
    expect(outcome.now).toBe(true);
    expect(queries).toEqual([partition, partition]);
  });

  it('is unnecessary where the read models are known to have reached the position', async () => {
    const { queries, reached, visible } = waiterSetup({ announcements: undefined });
    reached.position = 7;
    const outcome = outcomeOf(visible(account, 5));
    await advance(10);
    expect(outcome.now).toBe(true);
    expect([visible(account, 7), visible(account, 5)]).toEqual([true, true]);
    expect(queries).toHaveLength(1);
    expect(visible(account, 0)).toBe(true);
    expect(visible(elsewhere, 0)).toBe(true);
  });

  it('continues while the read models are unavailable', async () => {
    let unavailable = true;
    const { visible } = waiterSetup({
      visiblePosition: () => (unavailable ? Promise.reject(new ReadModelsUnavailable('away')) : Promise.resolve(5)),
    });
    const outcome = outcomeOf(visible(account, 5));
    await advance(499);
    unavailable = false;
    expect(outcome.now).toBe('waiting');
    await advance(1);
    expect(outcome.now).toBe(true);
  });

  it('ends at its time limit where the read models never answer, or throw synchronously', async () => {
    for (const visiblePosition of [() => new Promise<number>(() => undefined), () => raise()]) {
      const { visible } = waiterSetup({ visiblePosition });
      const outcome = outcomeOf(visible(account, 5));
      await advance(2_000);
      expect(outcome.now).toBe(false);
    }
  });

  it('gives up a query that is never answered, and queries again', async () => {
    let queries = 0;
    const { visible } = waiterSetup({
      waitMs: 10_000,
      visiblePosition: () => {
        queries += 1;
        return queries === 1 ? new Promise(() => undefined) : Promise.resolve(5);
      },
    });
    const outcome = outcomeOf(visible(account, 5));
    await advance(3_000);
    expect(outcome.now).toBe(true);
    expect(queries).toBe(2);
  });

  it('ends at once where the time limit is 0', async () => {
    const { visible } = waiterSetup({ waitMs: 0 });
    expect(await visible(account, 5)).toBe(false);
  });
});

describe('concurrent waits', () => {
  it('share the queries of their partition, one at a time, and each ends with its position', async () => {
    const answers: ((position: number) => void)[] = [];
    const { visible } = waiterSetup({ visiblePosition: () => new Promise((resolve) => answers.push(resolve)) });
    const outcomes = Array.from({ length: 1_000 }, (_, index) => outcomeOf(visible(account, index + 1)));
    await advance(10);
    expect(answers).toHaveLength(1);
    await advance(45);
    expect(answers).toHaveLength(1);
    answers[0]?.(600);
    await advance(0);
    expect(outcomes.filter(({ now }) => now === true)).toHaveLength(600);
    // Waits that requested a query meanwhile get the next one, which starts after their request.
    expect(answers).toHaveLength(2);
    answers[1]?.(1_000);
    await advance(0);
    expect(outcomes.every(({ now }) => now === true)).toBe(true);
    expect(answers).toHaveLength(2);
  });

  it('for other partitions have queries of their own', async () => {
    const { queries, reached, visible } = waiterSetup();
    const [one, other] = [outcomeOf(visible(account, 5)), outcomeOf(visible(elsewhere, 5))];
    reached.position = 5;
    await advance(10);
    expect([one.now, other.now]).toEqual([true, true]);
    expect([...queries].sort()).toEqual([partition, partitionOf(elsewhere, partitions)].sort());
  });

  it('are limited in number: further ones end at once', async () => {
    const { visible, announce } = waiterSetup({ waitersMax: 3 });
    const outcomes = [1, 2, 3].map((position) => outcomeOf(visible(account, position)));
    expect(visible(account, 4)).toBe(false);
    expect(visible(elsewhere, 4)).toBe(false);
    announce(1);
    await advance(0);
    expect(outcomes[0]?.now).toBe(true);
    const next = outcomeOf(visible(account, 4));
    expect(next.now).toBe('waiting');
    announce(4);
    await advance(0);
    expect([...outcomes, next].map(({ now }) => now)).toEqual([true, true, true, true]);
    // Waits that timed out free their place, too.
    const more = Array.from({ length: 3 }, () => outcomeOf(visible(account, 9)));
    await advance(2_000);
    expect(more.map(({ now }) => now)).toEqual([false, false, false]);
    const last = outcomeOf(visible(account, 9));
    expect(last.now).toBe('waiting');
    announce(9);
    await advance(0);
    expect(last.now).toBe(true);
    // The number of places is the same as before.
    const full = Array.from({ length: 3 }, () => outcomeOf(visible(account, 20)));
    expect(visible(account, 20)).toBe(false);
    announce(20);
    await advance(0);
    expect(full.map(({ now }) => now)).toEqual([true, true, true]);
  });

  it('make one more query for waits that requested it meanwhile, and none once all waits have ended', async () => {
    const answers: ((position: number) => void)[] = [];
    const { visible, announce } = waiterSetup({ visiblePosition: () => new Promise((resolve) => answers.push(resolve)) });
    const outcome = outcomeOf(visible(account, 5));
    await advance(50);
    expect(answers).toHaveLength(1);
    answers[0]?.(3);
    await advance(0);
    expect(answers).toHaveLength(2);
    answers[1]?.(4);
    await advance(199);
    expect(answers).toHaveLength(2);
    await advance(1);
    expect(answers).toHaveLength(3);
    await advance(250);
    announce(5);
    await advance(0);
    expect(outcome.now).toBe(true);
    answers[2]?.(4);
    await advance(0);
    expect(answers).toHaveLength(3);
  });
});
