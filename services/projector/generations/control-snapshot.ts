import { type LogState, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import type { GenerationEntry, Generations, History } from '../ports.ts';

/** The state of the read models' control and of the log at one moment. */
export type ControlSnapshot = {
  /** All generations, in the order in which they were started. */
  readonly entries: readonly GenerationEntry[];
  /** The generation that this version reads. */
  readonly read: string | undefined;
  /** The generations that writes wait for. */
  readonly awaited: readonly string[];
  /** The state of the log; undefined if the log does not answer. */
  readonly log: LogState | undefined;
};

/** Reads the state of the control and of the log.
 * @throws ReadModelsUnavailable */
export const takeSnapshot = async (
  generations: Pick<Generations, 'list' | 'roles'>,
  log: Pick<History, 'state'>,
): Promise<ControlSnapshot> => {
  const [entries, { read, awaited }, state] = await Promise.all([
    generations.list(),
    generations.roles().catch(orElse(ReadModelsUnavailable, { read: undefined, awaited: [] })),
    log.state().catch(orElse(LogUnavailable, undefined)),
  ]);
  return { entries, read, awaited, log: state };
};

/** Returns a handler that replaces an error of this kind by a value and throws any other error again. The control cannot return roles while
 * no generation is live. */
export const orElse =
  <Value>(kind: typeof ReadModelsUnavailable | typeof LogUnavailable, value: Value) =>
  (error: unknown): Value => {
    if (error instanceof kind) return value;
    throw error;
  };

export const ofVersion = ({ entries }: ControlSnapshot, version: number): readonly GenerationEntry[] =>
  entries.filter((entry) => entry.version === version && entry.state !== 'retired');

/** Whether a generation of another version has replaced this one, or is replacing it. */
export const isSuperseded = ({ entries }: ControlSnapshot, { version, serial }: Pick<GenerationEntry, 'version' | 'serial'>): boolean =>
  entries.some((other) => other.state === 'live' && other.version !== version && other.serial > serial);

/** Returns the newest generation of a version, unless it was live and another version has superseded it. */
export const currentOf = (snapshot: ControlSnapshot, ours: readonly GenerationEntry[]): GenerationEntry | undefined => {
  const newest = ours.at(-1);
  return newest?.state === 'live' && isSuperseded(snapshot, newest) ? undefined : newest;
};

/** Whether the switch to this generation is complete. */
export const isSettled = ({ read, awaited }: ControlSnapshot, name: string): boolean =>
  read === name && awaited.every((one) => one === name);
