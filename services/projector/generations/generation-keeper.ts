import { setTimeout as wait } from 'node:timers/promises';
import { LogUnavailable } from '@waymark/event-log/event-log.ts';
import { isRolledBack } from '@waymark/event-log/facts/facts.ts';
import type { FactsKeeper } from '@waymark/event-log/facts/keeper.ts';
import { ForeignReadModels } from '@waymark/read-models/read-models.ts';
import { beatEveryMs, blindMs, factsEveryMs, lookEveryMs } from '../limits.ts';
import { createLogThrottle } from '../log-throttle.ts';
import type { Projection } from '../partitions/projection.ts';
import type { GenerationEntry } from '../ports.ts';
import { type ControlSnapshot, isSuperseded, ofVersion, takeSnapshot, unless } from './control-snapshot.ts';
import { createGenerationFeeder, type GenerationFeeder, type GenerationFeederPorts } from './generation-feeder.ts';
import { createPromotion, type GenerationPromotion } from './promotion.ts';

export type GenerationKeeperPorts = GenerationFeederPorts & {
  /** Keeps the known facts of the log next to the read models. */
  readonly facts?: Pick<FactsKeeper, 'look'>;
  /** The version of the projection that this process runs. */
  readonly version: number;
  /** The maximum time that readers of another version may delay a switch, and the end of this process. */
  readonly graceMs: number;
};

/** Decides which generations are fed and which one is live. Any number of processes may do so at once. */
export type GenerationKeeper = {
  readonly feeds: () => readonly GenerationFeeder[];
  /** The results of comparing new generations with their predecessors, by the name of the new generation. */
  readonly comparisons: GenerationPromotion['comparisons'];
  /** The reasons why the process is not ready, as text. */
  readonly troubles: () => readonly string[];
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
  readonly feeds: Map<string, GenerationFeeder>;
  /** Generations of this version that cannot be used any more. */
  readonly unfit: Set<string>;
  /** The highest serial of a generation of this version that was ever seen; 0 before the first one. */
  known: number;
  sight: ControlSnapshot | undefined;
  seenAtMs: number;
  closing: boolean;
  /** The installation of the log, as last known. */
  installation: string | undefined;
  /** Why this process must not write: the read models belong to another installation. */
  foreign: string | undefined;
  /** Whether the log ends before the state that was built from it. */
  shorter: boolean;
  /** Whether the known facts go beyond the log. */
  forgetful: boolean;
  factsAtMs: number;
  /** Ends the pause between two checks. */
  wake: () => void;
};

const newState = (ports: GenerationKeeperPorts): State => ({
  ports,
  feeds: new Map(),
  unfit: new Set(),
  known: 0,
  sight: undefined,
  seenAtMs: performance.now(),
  closing: false,
  installation: undefined,
  foreign: undefined,
  shorter: false,
  forgetful: false,
  factsAtMs: Number.NEGATIVE_INFINITY,
  wake: () => undefined,
});

export const createGenerationKeeper = (ports: GenerationKeeperPorts): GenerationKeeper => {
  const state = newState(ports);
  const stopping = new AbortController();
  const promotion = createPromotion(ports);
  const tell = createLogThrottle((error) => ports.logger.warn({ err: error }, 'the generations could not be checked; retrying'));

  const turn = async (): Promise<void> => {
    const compare = await factsDue(state)?.look();
    const sight = await look(state);
    if (!(await claimed(state, sight))) return;
    if (compare && sight.log) state.forgetful = await compare(sight.log).then(isRolledBack, unless(LogUnavailable, state.forgetful));
    await Promise.all(discarded(state, sight).map((name) => discard(state, name, sight)));
    const ours = ofVersion(sight, ports.version).filter(({ name }) => !state.unfit.has(name));
    feedThese(state, ours);
    if (state.closing) return;
    const newest = ours.at(-1);
    if (newest) await promotion.look(newest, sight);
    else if (!isReplaced(state, sight)) await begin(state);
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const pause = new AbortController();
      state.wake = () => pause.abort();
      await turn().catch(tell);
      await wait(lookEveryMs, undefined, { signal: AbortSignal.any([stopping.signal, pause.signal]) }).catch(() => undefined);
    }
  };
  const running = Promise.all([run(), beating(state, stopping.signal)]);

  return {
    feeds: () => [...state.feeds.values()],
    comparisons: promotion.comparisons,
    troubles: () => troublesOf(state),
    rebuild: async () => {
      const name = await ports.readSide.generations.begin();
      state.wake();
      return name;
    },
    close: async () => {
      state.closing = true;
      const endMs = performance.now() + ports.graceMs;
      while (performance.now() < endMs && isStillRead(state)) await wait(lookEveryMs);
      stopping.abort();
      await running;
      await Promise.all([...state.feeds.values()].map(({ stop }) => stop()));
    },
  };
};

const look = async (state: State): Promise<ControlSnapshot> => {
  const { readSide, log } = state.ports;
  // The positions are read before the log. They can be no newer than the state that the log then returns.
  const made = [...state.feeds.values()].flatMap(({ projection }) => {
    const one = projection();
    return one ? [{ one, from: one.incarnation(), furthest: furthestOf(one) }] : [];
  });
  const sight = await takeSnapshot(readSide.generations, log);
  const { incarnation, head = Number.POSITIVE_INFINITY } = sight.log ?? {};
  for (const { one, from } of made) if (incarnation !== undefined && from !== undefined && from !== incarnation) one.outdated();
  state.shorter = made.some(({ from, furthest }) => from === incarnation && furthest > head);
  state.sight = sight;
  state.seenAtMs = performance.now();
  return sight;
};

/** Whether the read models belong to this installation. This is checked each time, because another installation may have taken them over.
 * Nothing is written before the log has returned the installation. */
const claimed = async (state: State, { log }: ControlSnapshot): Promise<boolean> => {
  const { readSide, logger } = state.ports;
  state.installation = log?.installation ?? state.installation;
  if (state.installation === undefined) return false;
  try {
    await readSide.claim(state.installation);
    state.foreign = undefined;
    return true;
  } catch (error) {
    if (!(error instanceof ForeignReadModels)) throw error;
    if (state.foreign === undefined) logger.error({ installation: state.installation }, error.message);
    state.foreign = error.message;
    await Promise.all([...state.feeds.values()].map(({ stop }) => stop()));
    return false;
  }
};

const beating = async ({ ports: { readSide } }: State, signal: AbortSignal): Promise<void> => {
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

const furthestOf = ({ figures }: Projection): number => Math.max(...figures().partitions.map(({ position }) => position));

/** Returns the generations of this version that cannot be used but still exist. */
const discarded = (state: State, sight: ControlSnapshot): readonly string[] => {
  for (const { name, over } of state.feeds.values()) {
    const reason = over();
    if (reason === undefined) continue;
    state.feeds.delete(name);
    if (reason === 'stopped') continue;
    state.unfit.add(name);
    state.ports.logger.error({ generation: name, reason }, 'the generation cannot be used any more: a new one is built from the log');
  }
  for (const name of state.unfit) if (!sight.entries.some((entry) => entry.name === name)) state.unfit.delete(name);
  return [...state.unfit];
};

/** Drops a generation that cannot be used. It is better to have no live generation than one that differs from the log. */
const discard = async ({ ports, closing }: State, name: string, { waited }: ControlSnapshot): Promise<void> => {
  if (closing) return;
  const { withdraw, retire } = ports.readSide.generations;
  if (waited.includes(name)) await withdraw();
  await retire(name);
};

/** Feeds exactly these generations. */
const feedThese = (state: State, ours: readonly GenerationEntry[]): void => {
  for (const { name, stop } of state.feeds.values()) if (!ours.some((entry) => entry.name === name)) void stop();
  for (const entry of ours) {
    state.known = Math.max(state.known, entry.serial);
    if (!state.closing && !state.feeds.has(entry.name))
      state.feeds.set(
        entry.name,
        createGenerationFeeder(entry, state.ports, () => state.wake()),
      );
  }
};

/** Whether another version superseded the generation of this process, and the generation is gone. The process then creates no new one. A
 * process that has just started takes over. */
const isReplaced = ({ ports: { version }, known }: State, sight: ControlSnapshot): boolean =>
  known > 0 && isSuperseded(sight, { version, serial: known });

const begin = async ({ ports: { readSide, logger }, wake }: State): Promise<void> => {
  // If the whole database was wiped, what `ensure` creates was wiped, too.
  await readSide.ensure();
  const name = await readSide.generations.begin();
  logger.info({ generation: name }, 'a new generation is built from the log');
  wake();
};

/** Whether a generation that another version superseded still has readers. */
const isStillRead = ({ ports, feeds, sight }: State): boolean => {
  if (sight === undefined) return false;
  const ours = ofVersion(sight, ports.version);
  return ours.some((entry) => feeds.has(entry.name) && sight.waited.includes(entry.name) && isSuperseded(sight, entry));
};

const troublesOf = (state: State): readonly string[] => {
  const { ports, sight, seenAtMs, feeds, shorter, forgetful, foreign } = state;
  if (foreign !== undefined) return [foreign];
  const troubles = [...feeds.values()].flatMap(({ projection }) => projection()?.troubles() ?? []);
  if (performance.now() - seenAtMs > blindMs) troubles.push('The read models do not answer.');
  if (sight?.log === undefined) troubles.push('The event log does not answer.');
  if (shorter || forgetful)
    troubles.push('The event log ends before data that was computed from it: it was rolled back and must be renewed (waymark renew).');
  if (sight?.read === undefined) troubles.push(`No generation of projection version ${ports.version} is live.`);
  if (sight && isReplaced(state, sight)) troubles.push(`Projection version ${ports.version} was superseded by another version.`);
  return troubles;
};
