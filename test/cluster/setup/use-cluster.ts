import { setTimeout as pause } from 'node:timers/promises';
import { type ControlledEngine, control } from '@waymark/test-engines/control.ts';
import { seededRun } from '../../crash/random.ts';
import { type Cluster, type ClusterSettings, startCluster } from './cluster.ts';
import { pidOf } from './processes.ts';
import { type Fault, type Figures, trial } from './trial.ts';

/** How often each fault strikes. */
export const repetitions = Number(process.env['WAYMARK_FAULTS'] ?? 1);
const startMs = 300_000;
const stopMs = 300_000;
/** Only catches what hangs: a trial has bounds of its own. */
const strikeMs = 600_000;
/** Strikes of one trial: what must hold at rest is looked at after so many. */
const strikesTogether = 3;

/** A cluster for all tests of a block, on a log of its own: what others have left there would be read and verified again and again. */
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

/** A test that a fault breaks no promise, several times over. Tells its figures where they were asked for. */
export const itStands = (title: string, cluster: () => Cluster, fault: Fault): void => {
  it(
    title,
    async () => {
      const figures: Figures[] = [];
      const strikes = Array.from({ length: repetitions }, (_, nth) => nth);
      while (strikes.length > 0)
        await seededRun(async (random) => {
          figures.push(await trial(cluster(), fault, strikes.splice(0, strikesTogether), random));
        });
      if (process.env['WAYMARK_FAULTS']) process.stderr.write(`${title}: ${told(figures)}\n`);
    },
    repetitions * strikeMs,
  );
};

const told = (figures: readonly Figures[]): string => {
  const sum = (of: (one: Figures) => number): number => figures.reduce((total, one) => total + of(one), 0);
  const recoveries = figures.flatMap(({ recoveriesMs }) => recoveriesMs).sort((a, b) => a - b);
  const rests = figures.map(({ restMs }) => restMs).sort((a, b) => a - b);
  return [
    `${recoveries.length} times`,
    `${sum(({ requests }) => requests)} requests`,
    `${sum(({ acknowledged }) => acknowledged)} writes acknowledged`,
    `${sum(({ lagged }) => lagged)} of them with lag`,
    `${sum(({ refused }) => refused)} told to come again`,
    `recovery ${recoveries[Math.floor(recoveries.length / 2)]} ms, at most ${recoveries.at(-1)} ms`,
    `at rest after ${rests[Math.floor(rests.length / 2)]} ms, at most ${rests.at(-1)} ms`,
  ].join(', ');
};

/** SIGKILL; whoever looks after it starts it again. */
export const killed = (name: string, refuses: Fault['refuses']): Fault => ({
  strike: async (cluster) => {
    process.kill(await pidOf(cluster, name), 'SIGKILL');
  },
  refuses,
});

/** How long an engine is away, in milliseconds, one after the other. */
const killedForMs = [300, 1_500, 4_000] as const;
/** The last is longer than any call waits for an answer. */
const pausedForMs = [300, 1_500, 7_000] as const;

/** SIGKILL, and started again after a while. */
export const engineKilled = (engine: ControlledEngine, refuses: Fault['refuses']): Fault => ({
  strike: async (_, time) => {
    await control('kill', engine);
    await pause(killedForMs[time % killedForMs.length]);
    await control('start', engine);
  },
  refuses,
  keepsProcesses: true,
});

/** SIGSTOP, and SIGCONT after a while: connections stay, and nothing is said. */
export const enginePaused = (engine: ControlledEngine, refuses: Fault['refuses']): Fault => ({
  strike: async (_, time) => {
    await control('pause', engine);
    await pause(pausedForMs[time % pausedForMs.length]);
    await control('resume', engine);
  },
  refuses,
  keepsProcesses: true,
});
