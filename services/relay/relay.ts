import { setTimeout as pause } from 'node:timers/promises';
import {
  pauseFirstMs,
  pauseLastMs,
  silentAgainMs,
  silentMs,
  standbyMs,
  tailEveryMs,
  takeoverMs,
  toldEvery,
  watermarkMs,
  wentWellMs,
} from './limits.ts';
import type { Paces, RelayPorts } from './ports.ts';
import { runSession, StandDown } from './session.ts';
import { createStats, metricsText, type RelayReport } from './stats.ts';
import { createTurn } from './turn.ts';

/** Sends every event of the log's history to its account's partition, in order. It keeps no state of its own: the last records of the
 * partitions determine where it resumes. */
export type Relay = {
  /** Returns the reasons why it is not ready; none while it relays or stands by. */
  readonly notReady: () => readonly string[];
  readonly figures: () => RelayReport;
  /** Returns the metrics in the Prometheus text format. */
  readonly metrics: () => string;
  /** Ends the relay after the current request. */
  readonly close: () => Promise<void>;
};

const usualPaces: Paces = { watermarkMs, standbyMs, tailEveryMs, silentMs, takeoverMs, silentAgainMs, pauseFirstMs, pauseLastMs };

export const createRelay = ({ paces = usualPaces, ...ports }: RelayPorts): Relay => {
  const stopping = new AbortController();
  const figures = createStats();
  const running = keepRelaying({ ...ports, paces, figures }, stopping.signal);
  const troubles = (): string[] => {
    const { active, sessions, trouble } = figures.now();
    if (trouble !== undefined) return [`Events are not relayed: ${trouble}`];
    return active && sessions === 0 ? ['Events are not relayed yet.'] : [];
  };
  return {
    notReady: troubles,
    figures: figures.now,
    metrics: () => metricsText(figures.now()),
    close: async () => {
      stopping.abort();
      await running;
    },
  };
};

type Work = Parameters<typeof runSession>[0];

/** Relays until the signal aborts, whatever fails: a relay that has ended cannot be used. */
const keepRelaying = async (work: Work, signal: AbortSignal): Promise<void> => {
  const { paces, figures, logger } = work;
  const turn = createTurn(work);
  const rest = (ms: number): Promise<unknown> => pause(ms, undefined, { signal }).catch(() => undefined);
  for (let failures = 0; !signal.aborted; ) {
    if (!turn.holds()) {
      figures.standsBy();
      await turn.come(signal);
      continue;
    }
    figures.begins();
    const beganMs = performance.now();
    try {
      await runSession({ ...work, lease: turn }, signal);
    } catch (error) {
      if (error instanceof StandDown) {
        logger.info({}, 'another relay is active: this one stands by');
        continue;
      }
      if (signal.aborted) return;
      if (performance.now() - beganMs > wentWellMs) failures = 0;
      if (failures % toldEvery === 0) logger.warn({ err: error, failures }, 'events cannot be relayed; trying again');
      figures.failed(error instanceof Error ? error : new Error(String(error)));
      failures += 1;
    }
    if (!signal.aborted)
      await rest(Math.min(paces.pauseLastMs, paces.pauseFirstMs * 2 ** Math.min(failures, 20)) * (0.5 + Math.random() / 2));
  }
};
