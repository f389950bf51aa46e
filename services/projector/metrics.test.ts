import { projectorMetrics } from './metrics.ts';
import { createStats, type ProjectionStats } from './stats.ts';

const statsOf = (generation: string, lagSeconds: number): ProjectionStats => ({
  ...createStats(),
  generation,
  partitions: [{ partition: 2, position: 100, behind: 7, lagSeconds, blocked: undefined }],
});

describe('the metrics of a projector', () => {
  it('show how far the history is, and how long it has been behind, apart from the read models', async () => {
    const [models, history] = [statsOf('1-1-1', 0), statsOf('history.1-1-1', 4.5)];
    const text = await projectorMetrics({ projections: () => [models, history], history: () => [history] }, () => new Map())();
    const valuesOf = (name: string) => text.split('\n').filter((line) => line.startsWith(`${name}{`));
    expect(valuesOf('waymark_history_lag_seconds')).toEqual(['waymark_history_lag_seconds{generation="history.1-1-1",partition="2"} 4.5']);
    expect(valuesOf('waymark_history_position')).toEqual(['waymark_history_position{generation="history.1-1-1",partition="2"} 100']);
    expect(valuesOf('waymark_projection_age_seconds')).toHaveLength(2);
  });
});
