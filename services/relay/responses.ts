import type { RelayFiguresResponse } from '@waymark/cluster-runtime/figures-response.ts';
import type { RelayReport } from './stats.ts';

export const figuresResponse = (figures: RelayReport): RelayFiguresResponse => ({
  active: figures.active,
  trouble: figures.trouble,
  incarnation: figures.incarnation,
  head: figures.head,
  reached: figures.reached,
  positions: figures.positions,
  events: figures.events,
  watermarks: figures.watermarks,
  sessions: figures.sessions,
  failures: figures.failures,
});
