import type { RelayFiguresResponse } from '@waymark/cluster-runtime/figures-response.ts';
import type { RelayReport } from './stats.ts';

export const figuresResponse = (stats: RelayReport): RelayFiguresResponse => ({
  active: stats.active,
  trouble: stats.reason,
  incarnation: stats.incarnation,
  head: stats.head,
  reached: stats.reached,
  positions: stats.positions,
  events: stats.events,
  watermarks: stats.watermarks,
  sessions: stats.sessions,
  failures: stats.failures,
});
