import { setTimeout as wait } from 'node:timers/promises';
import { createLogThrottle } from '@waymark/cluster-runtime/log-throttle.ts';
import { LogUnavailable } from '@waymark/event-log/event-log.ts';
import { isRolledBack } from '@waymark/event-log/facts/facts.ts';
import type { FactsKeeper } from '@waymark/event-log/facts/keeper.ts';
import { ForeignReadModels } from '@waymark/read-models/read-models.ts';
import { beatEveryMs, checkEveryMs, factsEveryMs, unreadableMs } from '../limits.ts';
import type { Projection } from '../partitions/projection.ts';
import type { GenerationEntry } from '../ports.ts';
import { type ControlSnapshot, currentOf, isSuperseded, ofVersion, orElse, takeSnapshot } from './control-snapshot.ts';
import { createGenerationFeeder, type GenerationFeeder, type GenerationFeederPorts } from './generation-feeder.ts';
import { createPromotion, type GenerationPromotion } from './promotion.ts';
import { createTakeOver, isSupersededVersion } from './take-over.ts';
import { worksOf } from './works.ts';

export type GenerationKeeperPorts = GenerationFeederPorts & {
  /** Keeps the known facts of the log next to the read models. */
  readonly facts?: Pick<FactsKeeper, 'readStore'>;
  /** The version of the projection that this process runs. */
  readonly version: number;
  /** The maximum time that readers of another version may delay a switch, and the end of this process. */
  readonly graceMs: number;
  /** When this process takes over if another version has superseded its own before it started, in milliseconds. */
  readonly takeOverAfterMs?: number;
};

/** Decides which generations are fed and which one is live. Any number of processes may do so at once. */
export type GenerationKeeper = {
  readonly feeders: () => readonly GenerationFeeder[];
  /** The results of comparing new generations with their predecessors, by the name of the new generation. */
  readonly comparisons: GenerationPromotion['comparisons'];
  /** The reasons why the process is not ready, as text. */
  readonly problems: () => readonly string[];
  readonly works: () => ReturnType<typeof worksOf>;
  /** Starts a new generation next to the live one. The new generation becomes live once it is complete.
   * @returns its name
   * @throws ReadModelsUnavailable */
  readonly rebuild: () => Promise<string>;
  /** Stops the process. A superseded generation is fed while it is still read, within the grace period; then the current transactions
   * finish. */
  readonly close: () => Promise<void>;
};

type State = {
  readonly ports: GenerationKeeperPorts;
  readonly feeders: Map<string, GenerationFeeder>;
  /** Generations of this version that cannot be used any more. */
  readonly unusable: Set<string>;
  /** The highest serial of a generation of this version that was seen while no other version had superseded it; 0 before the first one. */
  newestSerial: number;
  readonly startedAtMs: number;
  snapshot: ControlSnapshot | undefined;
  checkedAtMs: number;
  closing: boolean;
  /** The installation of the log, as last known. */
  installation: string | undefined;
  /** Why this process must not write: the read models belong to another installation. */
  otherInstallation: string | undefined;
  /** Whether the log ends before the state that was built from it. */
  isLogShorter: boolean;
  /** Whether the known facts go beyond the log. */
  isLogBehindFacts: boolean;
  factsAtMs: number;
  /** Ends the pause between two checks. */
  wake: () => void;
};

const newState = (ports: GenerationKeeperPorts): State => ({
  ports,
  feeders: new Map(),
  unusable: new Set(),
  newestSerial: 0,
  startedAtMs: performance.now(),
  snapshot: undefined,
  checkedAtMs: performance.now(),
  closing: false,
  installation: undefined,
  otherInstallation: undefined,
  isLogShorter: false,
  isLogBehindFacts: false,
  factsAtMs: Number.NEGATIVE_INFINITY,
  wake: () => undefined,
});

export const createGenerationKeeper = (ports: GenerationKeeperPorts): GenerationKeeper => {
  const state = newState(ports);
  const stopping = new AbortController();
  const promotion = createPromotion(ports);
  const takeOver = createTakeOver(ports);
  const tell = createLogThrottle((error) => ports.logger.warn({ err: error }, 'the generations could not be checked; retrying'));

  const runCheck = async (): Promise<void> => {
    const compare = await factsDue(state)?.readStore();
    const snapshot = await checkGenerations(state);
    if (!(await claimReadModels(state, snapshot))) return;
    if (compare && snapshot.log)
      state.isLogBehindFacts = await compare(snapshot.log).then(isRolledBack, orElse(LogUnavailable, state.isLogBehindFacts));
    await Promise.all(unusableGenerations(state, snapshot).map((name) => dropUnusable(state, name, snapshot)));
    const ours = ofVersion(snapshot, ports.version).filter(({ name }) => !state.unusable.has(name));
    feedOnly(state, snapshot, ours);
    if (state.closing) return;
    const current = currentOf(snapshot, ours);
    if (current) await promotion.check(current, snapshot);
    else if (await takeOver.isDue(state, snapshot, ours)) await begin(state);
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const pause = new AbortController();
      state.wake = () => pause.abort();
      await runCheck().catch(tell);
      await wait(checkEveryMs, undefined, { signal: AbortSignal.any([stopping.signal, pause.signal]) }).catch(() => undefined);
    }
  };
  const running = Promise.all([run(), sendHeartbeats(state, stopping.signal)]);

  return {
    feeders: () => [...state.feeders.values()],
    comparisons: promotion.comparisons,
    problems: () => problemsOf(state),
    works: () => worksOf(state),
    rebuild: async () => {
      const name = await ports.readSide.generations.begin();
      state.wake();
      return name;
    },
    close: async () => {
      state.closing = true;
      const endMs = performance.now() + ports.graceMs;
      while (performance.now() < endMs && isStillRead(state)) await wait(checkEveryMs);
      stopping.abort();
      await running;
      await Promise.all([...state.feeders.values()].map(({ stop }) => stop()));
    },
  };
};

const checkGenerations = async (state: State): Promise<ControlSnapshot> => {
  const { readSide, log } = state.ports;
  // The positions are read before the log. They can be no newer than the state that the log then returns.
  const made = [...state.feeders.values()].flatMap(({ projection }) => {
    const one = projection();
    return one ? [{ one, from: one.incarnation(), furthest: furthestOf(one) }] : [];
  });
  const snapshot = await takeSnapshot(readSide.generations, log);
  const { incarnation, head = Number.POSITIVE_INFINITY } = snapshot.log ?? {};
  for (const { one, from } of made) if (incarnation !== undefined && from !== undefined && from !== incarnation) one.outdated();
  state.isLogShorter = made.some(({ from, furthest }) => from === incarnation && furthest > head);
  state.snapshot = snapshot;
  state.checkedAtMs = performance.now();
  return snapshot;
};

/** Whether the read models belong to this installation. This is checked each time, because another installation may have taken them over.
 * Nothing is written before the log has returned the installation. */
const claimReadModels = async (state: State, { log }: ControlSnapshot): Promise<boolean> => {
  const { readSide, logger } = state.ports;
  state.installation = log?.installation ?? state.installation;
  if (state.installation === undefined) return false;
  try {
    await readSide.claim(state.installation);
    state.otherInstallation = undefined;
    return true;
  } catch (error) {
    if (!(error instanceof ForeignReadModels)) throw error;
    if (state.otherInstallation === undefined) logger.error({ installation: state.installation }, error.message);
    state.otherInstallation = error.message;
    await Promise.all([...state.feeders.values()].map(({ stop }) => stop()));
    return false;
  }
};

const sendHeartbeats = async ({ ports: { readSide } }: State, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    await readSide.beat().catch(() => undefined);
    await wait(beatEveryMs, undefined, { signal }).catch(() => undefined);
  }
};

/** Returns undefined if the facts were checked a moment ago. */
const factsDue = (state: State): GenerationKeeperPorts['facts'] => {
  if (performance.now() - state.factsAtMs < factsEveryMs) return undefined;
  state.factsAtMs = performance.now();
  return state.ports.facts;
};

const furthestOf = ({ stats }: Projection): number => Math.max(...stats().partitions.map(({ position }) => position));

/** Returns the generations of this version that cannot be used but still exist. */
const unusableGenerations = (state: State, snapshot: ControlSnapshot): readonly string[] => {
  for (const { name, endReason } of state.feeders.values()) {
    const reason = endReason();
    if (reason === undefined) continue;
    state.feeders.delete(name);
    if (reason === 'stopped') continue;
    state.unusable.add(name);
    state.ports.logger.error({ generation: name, reason }, 'the generation cannot be used any more: a new one is built from the log');
  }
  for (const name of state.unusable) if (!snapshot.entries.some((entry) => entry.name === name)) state.unusable.delete(name);
  return [...state.unusable];
};

/** Drops a generation that cannot be used. It is better to have no live generation than one that differs from the log. */
const dropUnusable = async ({ ports, closing }: State, name: string, { awaited }: ControlSnapshot): Promise<void> => {
  if (closing) return;
  const { withdraw, retire } = ports.readSide.generations;
  if (awaited.includes(name)) await withdraw();
  await retire(name);
};

/** Feeds exactly these generations. */
const feedOnly = (state: State, snapshot: ControlSnapshot, ours: readonly GenerationEntry[]): void => {
  for (const { name, stop } of state.feeders.values()) if (!ours.some((entry) => entry.name === name)) void stop();
  for (const entry of ours) {
    if (!isSuperseded(snapshot, entry)) state.newestSerial = Math.max(state.newestSerial, entry.serial);
    if (!state.closing && !state.feeders.has(entry.name))
      state.feeders.set(
        entry.name,
        createGenerationFeeder(entry, state.ports, () => state.wake()),
      );
  }
};

const begin = async ({ ports: { readSide, logger }, wake }: State): Promise<void> => {
  // If the whole database was wiped, what `ensure` creates was wiped, too.
  await readSide.ensure();
  const name = await readSide.generations.begin();
  logger.info({ generation: name }, 'a new generation is built from the log');
  wake();
};

/** Whether a generation that another version superseded still has readers. */
const isStillRead = ({ ports, feeders, snapshot }: State): boolean => {
  if (snapshot === undefined) return false;
  const ours = ofVersion(snapshot, ports.version);
  return ours.some((entry) => feeders.has(entry.name) && snapshot.awaited.includes(entry.name) && isSuperseded(snapshot, entry));
};

const problemsOf = (state: State): readonly string[] => {
  const { ports, snapshot, checkedAtMs, feeders, isLogShorter, isLogBehindFacts, otherInstallation } = state;
  if (otherInstallation !== undefined) return [otherInstallation];
  const problems = [...feeders.values()].flatMap(({ projection }) => projection()?.problems() ?? []);
  if (performance.now() - checkedAtMs > unreadableMs) problems.push('The read models do not answer.');
  if (snapshot?.log === undefined) problems.push('The event log does not answer.');
  if (isLogShorter || isLogBehindFacts)
    problems.push('The event log ends before data that was computed from it: it was rolled back and must be renewed (waymark renew).');
  if (snapshot?.read === undefined) problems.push(`No generation of projection version ${ports.version} is live.`);
  if (snapshot && isSupersededVersion(state, snapshot))
    problems.push(`Projection version ${ports.version} was superseded by another version.`);
  return problems;
};
