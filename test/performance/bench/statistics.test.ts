import { judge } from './figure.ts';
import { bucketQuantile, median, quantile } from './statistics.ts';

describe('statistics', () => {
  it('find the median of an odd and of an even number of values', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([1, 2, 3, 10])).toBe(2.5);
  });

  it('interpolate between neighbouring values', () => {
    expect(quantile([0, 10], 0.99)).toBeCloseTo(9.9);
  });

  it("read a histogram's quantile from its cumulative buckets", () => {
    const buckets = [
      { most: 0.001, count: 90 },
      { most: 0.005, count: 100 },
      { most: Number.POSITIVE_INFINITY, count: 100 },
    ];
    expect(bucketQuantile(buckets, 0.95)).toBeCloseTo(0.003);
  });

  it('give infinity for values beyond the last bound', () => {
    const beyond = [
      { most: 0.001, count: 0 },
      { most: Number.POSITIVE_INFINITY, count: 5 },
    ];
    expect(bucketQuantile(beyond, 0.99)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a goal', () => {
  const figure = { row: 'get', title: 'GET one', unit: '/s', samples: { waymark: [30], crud: [10] } } as const;

  it('compares medians', () => {
    expect(judge({ ...figure, goals: [{ against: 'crud', least: 3 }] })).toMatchObject([{ reached: 3, holds: true }]);
    expect(judge({ ...figure, goals: [{ against: 'crud', most: 1.5 }] })).toMatchObject([{ holds: false }]);
  });

  it('is left out when the other column was not measured', () => {
    expect(judge({ ...figure, goals: [{ against: 'bare', least: 0.6 }] })).toEqual([]);
  });
});
