import { setTimeout as pause } from 'node:timers/promises';
import { type ControlledEngine, control } from '@waymark/test-engines/control.ts';
import { seededRun } from '../../crash/random.ts';
import { type Cluster, type ClusterSettings, type ServedCluster, startCluster } from './cluster.ts';
import { pidOf } from './processes.ts';
import { type Fault, type Figures, trial } from './trial.ts';

/** The number of times that each fault strikes. */
export const repetitions = Number(process.env['WAYMARK_FAULTS'] ?? 1);
const startMs = 300_000;
const stopMs = 300_000;
/** This bound only detects a hang: a trial has bounds of its own. */
const strikeMs = 600_000;
/** The number of strikes in one trial. The conditions that must hold at rest are checked after each trial. */
const strikesTogether = 3;

/** Starts a cluster for all tests of a block, on a log of its own. On a shared log, the events of other tests would be read and verified
 * again and again. */
export const useCluster = (
  settings: () => ClusterSettings = () => ({}),
  eventStoreSettings: Readonly<Record<string, string>> = {},
): (() => Cluster) => {
  let started: Cluster | undefined;
  beforeAll(async () => {
    await control('wipe', 'eventstore');
    await control('start', 'eventstore', eventStoreSettings);
    started = await startCluster(settings());
  }, startMs);
  afterAll(() => started?.stop(), stopMs);
  return () => {
    if (started === undefined) throw new Error('The cluster did not start.');
    return started;
  };
};

/** Defines a test that a fault breaks no promise, several times over. Prints its measurements if `WAYMARK_FAULTS` is set. */
export const itSurvives = <Place extends ServedCluster>(title: string, cluster: () => Place, fault: Fault<Place>): void => {
  it(
    title,
    async () => {
      const figures: Figures[] = [];
      const strikes = Array.from({ length: repetitions }, (_, nth) => nth);
      while (strikes.length > 0)
        await seededRun(async (random) => {
          figures.push(await trial(cluster(), fault, strikes.splice(0, strikesTogether), random));
        });
      if (process.env['WAYMARK_FAULTS']) process.stderr.write(`${title}: ${summary(figures)}\n`);
    },
    repetitions * strikeMs,
  );
};

const summary = (figures: readonly Figures[]): string => {
  const sum = (of: (one: Figures) => number): number => figures.reduce((total, one) => total + of(one), 0);
  const recoveries = figures.flatMap(({ recoveriesMs }) => recoveriesMs).sort((a, b) => a - b);
  const rests = figures.map(({ restMs }) => restMs).sort((a, b) => a - b);
  return [
    `${recoveries.length} times`,
    `${sum(({ requests }) => requests)} requests`,
    `${Math.round(sum(({ perSecond }) => perSecond) / figures.length)}/s`,
    `${sum(({ acknowledged }) => acknowledged)} writes acknowledged`,
    `${sum(({ lagged }) => lagged)} of them with lag`,
    `${sum(({ refused }) => refused)} asked to retry`,
    `recovery ${recoveries[Math.floor(recoveries.length / 2)]} ms, at most ${recoveries.at(-1)} ms`,
    `at rest after ${rests[Math.floor(rests.length / 2)]} ms, at most ${rests.at(-1)} ms`,
  ].join(', ');
};

/** Kills a process with SIGKILL. Its supervisor starts it again. */
export const killed = (name: string, refuses: Fault['refuses']): Fault => ({
  strike: async (cluster) => {
    process.kill(await pidOf(cluster, name), 'SIGKILL');
  },
  refuses,
});

/** The times for which an engine is unavailable, in milliseconds, one for each strike in turn. */
const killedForMs = [300, 1_500, 4_000] as const;
/** The last pause is longer than any call waits for a response. */
const pausedForMs = [300, 1_500, 7_000] as const;

/** Kills an engine with SIGKILL, and starts it again after a while. */
export const engineKilled = (engine: ControlledEngine, refuses: Fault['refuses']): Fault => ({
  strike: async (_, time) => {
    await control('kill', engine);
    await pause(killedForMs[time % killedForMs.length]);
    await control('start', engine);
  },
  refuses,
  keepsProcesses: true,
});

/** Pauses an engine with SIGSTOP, and continues it with SIGCONT after a while. Connections stay open, but the engine sends nothing. */
export const enginePaused = (engine: ControlledEngine, refuses: Fault['refuses']): Fault => ({
  strike: async (_, time) => {
    await control('pause', engine);
    await pause(pausedForMs[time % pausedForMs.length]);
    await control('resume', engine);
  },
  refuses,
  keepsProcesses: true,
});
