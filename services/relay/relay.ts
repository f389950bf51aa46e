import { setTimeout as pause } from 'node:timers/promises';
import type { Work } from '@waymark/cluster-runtime/stall-watch.ts';
import { pauseMs } from '@waymark/timing/back-off.ts';
import {
  failurePauses,
  loggedEvery,
  restMs,
  silentAgainMs,
  silentMs,
  standbyMs,
  tailEveryMs,
  takeoverMs,
  watermarkMs,
  wentWellMs,
} from './limits.ts';
import { relayMetrics } from './metrics.ts';
import { LogCutShort } from './partitions.ts';
import type { Paces, RelayPorts } from './ports.ts';
import { ForeignTopic, runSession, StandDown } from './session.ts';
import { createStats, type RelayReport } from './stats.ts';
import { createTurn } from './turn.ts';

/** Sends every event of the log's history to its account's partition, in order. It keeps no state of its own: the last records of the
 * partitions determine where it resumes. */
export type Relay = {
  /** Returns the reasons why it is not ready; none while it relays or stands by. */
  readonly notReady: () => readonly string[];
  readonly stats: () => RelayReport;
  /** Returns what it does: while it is active, it sends at least a watermark a second. */
  readonly works: () => readonly Work[];
  /** Returns the metrics in the Prometheus text format. */
  readonly metrics: () => Promise<string>;
  /** Ends the relay after the current request. */
  readonly close: () => Promise<void>;
};

const usualPaces: Paces = { restMs, watermarkMs, standbyMs, tailEveryMs, silentMs, takeoverMs, silentAgainMs, failurePauses };

export const createRelay = ({ paces = usualPaces, ...ports }: RelayPorts): Relay => {
  const stopping = new AbortController();
  const stats = createStats();
  const metrics = relayMetrics(stats.now);
  const running = keepRelaying({ ...ports, paces, stats }, stopping.signal);
  const problems = (): string[] => {
    const { active, sessions, reason } = stats.now();
    if (reason !== undefined) return [`Events are not relayed: ${reason}`];
    return active && sessions === 0 ? ['Events are not relayed yet.'] : [];
  };
  return {
    notReady: problems,
    stats: stats.now,
    works: () => {
      const { active, needsOperator, events, watermarks } = stats.now();
      return [{ name: 'sending records', done: events + watermarks, isDue: active && !needsOperator }];
    },
    metrics: () => metrics.metrics(),
    close: async () => {
      stopping.abort();
      await running;
    },
  };
};

/** Whether a relay fails in this way until an operator acts: restarting it has no effect. */
const needsOperator = (error: unknown): boolean => error instanceof LogCutShort || error instanceof ForeignTopic;

type SessionContext = Parameters<typeof runSession>[0];

/** Relays until the signal aborts, whatever fails: a relay that has ended cannot be used. */
const keepRelaying = async (context: SessionContext, signal: AbortSignal): Promise<void> => {
  const { paces, stats, logger } = context;
  const turn = createTurn(context);
  const rest = (ms: number): Promise<unknown> => pause(ms, undefined, { signal }).catch(() => undefined);
  for (let failures = 0; !signal.aborted; ) {
    if (!turn.holds()) {
      stats.standsBy();
      await turn.awaitTurn(signal);
      continue;
    }
    stats.begins();
    const beganMs = performance.now();
    try {
      await runSession({ ...context, lease: turn }, signal);
    } catch (error) {
      if (error instanceof StandDown) {
        logger.info({}, 'another relay is active: this one stands by');
        continue;
      }
      if (signal.aborted) return;
      if (performance.now() - beganMs > wentWellMs) failures = 0;
      if (failures % loggedEvery === 0) logger.warn({ err: error, failures }, 'events cannot be relayed; trying again');
      stats.failed(error instanceof Error ? error : new Error(String(error)), needsOperator(error));
      failures += 1;
    }
    if (!signal.aborted) await rest(pauseMs(paces.failurePauses, failures));
  }
};
