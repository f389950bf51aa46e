import { type LogState, LogUnavailable } from '@waymark/event-log/event-log.ts';
import { ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import type { GenerationEntry, Generations, History } from '../ports.ts';

/** What the read side's control and the log say. */
export type ControlSnapshot = {
  /** In the order that they were begun in. */
  readonly entries: readonly GenerationEntry[];
  /** The one that this version reads. */
  readonly read: string | undefined;
  /** Those that writes wait for. */
  readonly waited: readonly string[];
  /** Undefined where the log does not answer. */
  readonly log: LogState | undefined;
};

/** @throws ReadModelsUnavailable */
export const takeSnapshot = async (
  generations: Pick<Generations, 'list' | 'roles'>,
  log: Pick<History, 'state'>,
): Promise<ControlSnapshot> => {
  const [entries, roles, state] = await Promise.all([
    generations.list(),
    generations.roles().catch(unless(ReadModelsUnavailable, { read: undefined, waited: [] })),
    log.state().catch(unless(LogUnavailable, undefined)),
  ]);
  return { entries, ...roles, log: state };
};

/** What counts where one of these is thrown: where no generation is live the roles cannot be told either. */
export const unless =
  <Value>(kind: typeof ReadModelsUnavailable | typeof LogUnavailable, value: Value) =>
  (error: unknown): Value => {
    if (error instanceof kind) return value;
    throw error;
  };

export const ofVersion = ({ entries }: ControlSnapshot, version: number): readonly GenerationEntry[] =>
  entries.filter((entry) => entry.version === version && entry.state !== 'retired');

/** Whether another version's generation took, or is taking, the place of this one. */
export const isSuperseded = ({ entries }: ControlSnapshot, { version, serial }: Pick<GenerationEntry, 'version' | 'serial'>): boolean =>
  entries.some((other) => other.state === 'live' && other.version !== version && other.serial > serial);

/** Whether the switch to it is over. */
export const isSettled = ({ read, waited }: ControlSnapshot, name: string): boolean => read === name && waited.every((one) => one === name);
