import type { Evidence } from '@waymark/checkpoints/verification/evidence.ts';
import { createReplayCheck, type ReplayedLog } from '@waymark/checkpoints/verification/replay.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { contradictionAt, isContradictory } from '@waymark/domain/event-types.ts';
import { erasuresStream, isHistory } from '@waymark/domain/streams.ts';
import type { CheckedLog } from '@waymark/event-log/checked-log.ts';
import { clockJumpMs, createClockJumps } from '@waymark/event-log/clock-jumps.ts';
import { checkErasedStreams } from '@waymark/event-log/erasure/erased-streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { scan } from '@waymark/event-log/scan.ts';
import { isAltered } from '@waymark/event-log/seal.ts';
import { unfinishedImports } from './import/unfinished.ts';
import { checkpointsNotCompared } from './verification.ts';

const findingsMax = 100;

/** What the check needs of a log. */
type CheckedPort = Pick<EventLog, 'read' | 'lastRevisions' | 'subscribe' | 'state'>;

/** The result of the check of a log. */
export type CheckedWithEvidence = CheckedLog & Pick<ReplayedLog, 'unchecked' | 'checkpoint'>;

/** Compares the log, up to its present end, with its own commitments and revisions and with signed checkpoints, and its times with each other. It
 * reads the log once. */
export const checkLog = async (log: CheckedPort, evidence: Evidence): Promise<CheckedWithEvidence> => {
  const { head } = await log.state();
  const findings: string[] = [];
  const revisions = new Map<string, number>();
  const clocks = createClockJumps(clockJumpMs.cluster, findingsMax);
  const replay = createReplayCheck(log, evidence, head);
  const enough = new AbortController();
  const check = async (batch: readonly RecordedEvent[]): Promise<void> => {
    for (const event of batch) {
      clocks.add(event);
      if (isHistory(event.stream)) findings.push(...faultsOf(event, revisions));
      if (event.stream === erasuresStream) findings.push(...(await checkErasedStreams(log.read, event)));
    }
    await replay.add(batch);
    if (findings.length >= findingsMax) enough.abort();
  };
  await scan(log, { after: 0, through: head }, check, enough.signal);
  const found = { faults: findings.slice(0, findingsMax), clocks: clocks.found() };
  if (enough.signal.aborted) return { ...found, unchecked: [notReplayed], checkpoint: null };
  const { faults, unerased, unchecked, checkpoint } = await replay.end();
  // While an import runs, the erasures of events that it has appended may be still to come.
  const isImporting = unerased.length > 0 && (await unfinishedImports(log)).length > 0;
  const [certain, uncertain] = isImporting ? [faults, unerased] : [[...faults, ...unerased], []];
  return { ...found, faults: [...found.faults, ...certain], unchecked: [...unchecked, ...uncertain], checkpoint };
};

const notReplayed = `${checkpointsNotCompared}: it has too many other faults.`;

const faultsOf = (event: RecordedEvent, revisions: Map<string, number>): readonly string[] => {
  const { stream, revision, envelope } = event;
  const before = revisions.get(stream);
  revisions.set(stream, revision);
  const place = `${stream}, revision ${revision}`;
  const faults: string[] = [];
  if (before === undefined && revision !== 0) faults.push(`${place}: the revisions before it are missing.`);
  if (before !== undefined && revision !== before + 1) faults.push(`${place}: it follows revision ${before}.`);
  if (isAltered(event, envelope.commitment)) {
    faults.push(`${place}: the content does not match its commitment.`);
  }
  if (isContradictory(event)) faults.push(contradictionAt(event));
  return faults;
};
