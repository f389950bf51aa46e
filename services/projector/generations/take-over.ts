import type { ReadPosition } from '@waymark/read-models/read-models.ts';
import { takeOverAfterMsDefault } from '../limits.ts';
import type { GenerationEntry, ReadModelStore } from '../ports.ts';
import { type ControlSnapshot, currentOf, isSuperseded, ofVersion } from './control-snapshot.ts';

export type TakeOverPorts = {
  readonly readSide: Pick<ReadModelStore, 'generation'>;
  readonly version: number;
  readonly takeOverAfterMs?: number;
};

/** A process, as far as it matters to the question whether it takes over from another version. */
type Process = {
  readonly ports: Pick<TakeOverPorts, 'version'>;
  /** The highest serial of a generation of its version that it has seen while no other version had superseded it; 0 before the first one. */
  readonly newestSerial: number;
  readonly startedAtMs: number;
};

export type TakeOver = {
  /** Whether a process that has no current generation begins one. `ours`: the generations of its version that can be used.
   * @throws ReadModelsUnavailable */
  readonly isDue: (process: Process, snapshot: ControlSnapshot, ours: readonly GenerationEntry[]) => Promise<boolean>;
};

/** If another version superseded that of a process while it ran, the process is being replaced, and takes over only if nobody feeds the other
 * version any more. If that was before it started, it was started to take over, by a rollback or another upgrade: at once, or after some time while
 * the superseded generation is still there. */
export const createTakeOver = ({ readSide, version, takeOverAfterMs = takeOverAfterMsDefault }: TakeOverPorts): TakeOver => {
  const reachedBy = async ({ name }: GenerationEntry): Promise<number> => sumOf(await readSide.generation(name).positions());
  /** The generation that superseded the own one, while it lacks events: its position, that of the own one then, and since when. */
  let behind: { readonly name: string; readonly at: number; readonly own: number; readonly sinceMs: number } | undefined;

  /** Whether the generation that superseded `own` has stayed behind it for some time, while `own` moved. If neither moves, Kafka is unavailable. A
   * rollback can stop all processes of the other version before the first one of this version was replaced. */
  const isAbandoned = async (own: GenerationEntry, { entries }: ControlSnapshot): Promise<boolean> => {
    const other = entries.findLast((entry) => entry.state === 'live' && entry.version !== version);
    if (other === undefined) return false;
    const [at, ofOwn] = await Promise.all([reachedBy(other), reachedBy(own)]);
    if (at >= ofOwn) behind = undefined;
    else if (behind?.name !== other.name || behind.at !== at) behind = { name: other.name, at, own: ofOwn, sinceMs: performance.now() };
    return behind !== undefined && ofOwn > behind.own && performance.now() - behind.sinceMs >= takeOverAfterMs;
  };

  return {
    isDue: async (process, snapshot, ours) => {
      const newest = ours.at(-1);
      if (isReplaced(process, snapshot)) return newest !== undefined && isAbandoned(newest, snapshot);
      return newest === undefined || performance.now() - process.startedAtMs >= takeOverAfterMs;
    },
  };
};

const sumOf = (positions: readonly (ReadPosition | undefined)[]): number =>
  positions.reduce((sum, reached) => sum + (reached?.position ?? 0), 0);

/** Whether another version superseded that of this process, before the process started or since. */
export const isSupersededVersion = (process: Process, snapshot: ControlSnapshot): boolean => {
  const ours = ofVersion(snapshot, process.ports.version);
  return isReplaced(process, snapshot) || (ours.length > 0 && currentOf(snapshot, ours) === undefined);
};

const isReplaced = ({ ports: { version }, newestSerial }: Process, snapshot: ControlSnapshot): boolean =>
  newestSerial > 0 && isSuperseded(snapshot, { version, serial: newestSerial });
