import { createSeries, histogramText, observeIn } from './histogram.ts';

const bounds = [0.1, 1];

describe('A histogram', () => {
  it('counts values at or below each bound, and values above the highest', () => {
    const series = createSeries(bounds);
    for (const value of [0.05, 0.1, 0.5, 1, 7]) observeIn(series, bounds, value);
    expect(series.counts).toEqual([2, 2, 1]);
    expect(series.sum).toBeCloseTo(8.65);
  });

  it('counts several observations at once', () => {
    const series = createSeries(bounds);
    observeIn(series, bounds, 0.5, 3);
    expect(series).toEqual({ counts: [0, 3, 0], sum: 1.5 });
  });

  it('is written in the Prometheus format, with cumulative buckets', () => {
    const series = createSeries(bounds);
    for (const value of [0.05, 0.5, 7]) observeIn(series, bounds, value);
    const labelled = histogramText({ name: 'took', help: 'Time.', bounds, series: new Map([['method="GET"', series]]) });
    expect(labelled.split('\n')).toEqual([
      '# HELP took Time.',
      '# TYPE took histogram',
      'took_bucket{method="GET",le="0.1"} 1',
      'took_bucket{method="GET",le="1"} 2',
      'took_bucket{method="GET",le="+Inf"} 3',
      'took_sum{method="GET"} 7.55',
      'took_count{method="GET"} 3',
      '',
    ]);
  });

  it('needs no labels', () => {
    const text = histogramText({ name: 'took', help: 'Time.', bounds, series: new Map([['', createSeries(bounds)]]) });
    expect(text).toContain('took_bucket{le="0.1"} 0\n');
    expect(text).toContain('took_count 0\n');
  });
});
