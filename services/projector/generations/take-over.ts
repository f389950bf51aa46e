import { takeOverAfterMsDefault } from '../limits.ts';
import type { GenerationEntry } from '../ports.ts';
import { type ControlSnapshot, currentOf, isSuperseded, ofVersion } from './control-snapshot.ts';

/** A process, as far as it matters to the question whether it takes over from another version. */
type Process = {
  readonly ports: { readonly version: number; readonly takeOverAfterMs?: number };
  /** The highest serial of a generation of its version that it has seen while no other version had superseded it; 0 before the first one. */
  readonly newestSerial: number;
  readonly startedAtMs: number;
};

/** Whether a process that has no current generation creates one. If another version superseded its own while it ran, it is being replaced, and
 * creates none. If that was before it started, it was started to take over again, by a rollback or another upgrade: at once, or after some time
 * while the superseded generation is still there. `ours`: the generations of its version that can be used. */
export const takesOver = (process: Process, snapshot: ControlSnapshot, ours: readonly GenerationEntry[]): boolean => {
  const { takeOverAfterMs = takeOverAfterMsDefault } = process.ports;
  if (isReplaced(process, snapshot)) return false;
  return ours.length === 0 || performance.now() - process.startedAtMs >= takeOverAfterMs;
};

/** Whether another version superseded that of this process, before the process started or since. */
export const isSupersededVersion = (process: Process, snapshot: ControlSnapshot): boolean => {
  const ours = ofVersion(snapshot, process.ports.version);
  return isReplaced(process, snapshot) || (ours.length > 0 && currentOf(snapshot, ours) === undefined);
};

const isReplaced = ({ ports: { version }, newestSerial }: Process, snapshot: ControlSnapshot): boolean =>
  newestSerial > 0 && isSuperseded(snapshot, { version, serial: newestSerial });
