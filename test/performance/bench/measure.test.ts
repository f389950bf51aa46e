import { inTurn } from './measure.ts';

describe('measuring in turn', () => {
  it('keeps one value of each contestant for each round that is not repeated, and none of the round that warms up', async () => {
    const measured: string[] = [];
    const contestant = (column: 'bare' | 'crud') => ({
      column,
      measure: async (seconds: number): Promise<number> => {
        measured.push(`${column} ${seconds}`);
        return measured.length;
      },
    });
    const scale = { rounds: 2, roundSeconds: 4, warmUpSeconds: 1, repeatsMax: 2 };
    const { samples, rounds } = await inTurn(scale, [contestant('bare'), contestant('crud')]);
    expect(rounds.filter(({ repeated }) => !repeated)).toHaveLength(2);
    expect(measured).toEqual(['bare 1', 'crud 1', ...Array.from({ length: rounds.length }, () => ['bare 4', 'crud 4']).flat()]);
    const kept = rounds.flatMap(({ repeated }, nth) => (repeated ? [] : [3 + 2 * nth]));
    expect(samples).toEqual({ bare: kept, crud: kept.map((value) => value + 1) });
  });
});
