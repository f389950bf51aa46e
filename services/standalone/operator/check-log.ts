import { type EvidenceSource, readEvidence } from '@waymark/checkpoints/verification/evidence.ts';
import type { ReplayedLog } from '@waymark/checkpoints/verification/replay.ts';
import type { CheckedLog } from '@waymark/event-log/checked-log.ts';
import type { LogState } from '@waymark/event-log/event-log.ts';
import { checkLog as checkFile } from '@waymark/event-log/sqlite/maintenance.ts';
import { checkpointsNotCompared } from '@waymark/operations/verification.ts';
import { replayLog } from './replay.ts';

/** Checks a log against its commitments and against signed checkpoints, while it may be written. */
export const checkLog = async (
  file: string,
  state: Pick<LogState, 'installation' | 'incarnation' | 'head'>,
  source: EvidenceSource,
): Promise<CheckedLog & Pick<ReplayedLog, 'checkpoint' | 'unchecked'>> => {
  const notChecked: string[] = [];
  const orElse =
    <Result>(what: string, result: Result) =>
    (error: Error): Result => {
      notChecked.push(`${what}: ${error.message}`);
      return result;
    };
  const { faults, clocks } = await checkFile(file).catch(orElse('The log was not checked', { faults: [], clocks: [] }));
  const { evidence, unchecked } = await readEvidence(source, state);
  const replayed = await replayLog({ file, evidence }).catch(orElse(checkpointsNotCompared, notReplayed));
  return {
    faults: [...faults, ...replayed.faults, ...replayed.unerased],
    clocks,
    checkpoint: replayed.checkpoint,
    unchecked: [...notChecked, ...unchecked, ...replayed.unchecked],
  };
};

const notReplayed: ReplayedLog = { faults: [], unerased: [], unchecked: [], checkpoint: null };
