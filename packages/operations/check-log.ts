import type { RecordedEvent } from '@waymark/domain/event.ts';
import { contradictionAt, isContradictory } from '@waymark/domain/event-types.ts';
import { erasuresStream, isHistory } from '@waymark/domain/streams.ts';
import type { CheckedLog } from '@waymark/event-log/checked-log.ts';
import { clockJumpMs, createClockJumps } from '@waymark/event-log/clock-jumps.ts';
import { checkErasedStreams } from '@waymark/event-log/erasure/erased-streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { scan } from '@waymark/event-log/scan.ts';
import { isAltered } from '@waymark/event-log/seal.ts';

const findingsMax = 100;

/** Compares the log, up to its present end, with its own commitments and revisions, and its times with each other. */
export const checkLog = async (log: EventLog): Promise<CheckedLog> => {
  const { head } = await log.state();
  const findings: string[] = [];
  const revisions = new Map<string, number>();
  const clocks = createClockJumps(clockJumpMs.cluster, findingsMax);
  const enough = new AbortController();
  const check = async (batch: readonly RecordedEvent[]): Promise<void> => {
    for (const event of batch) {
      clocks.add(event);
      if (isHistory(event.stream)) findings.push(...faultsOf(event, revisions));
      if (event.stream === erasuresStream) findings.push(...(await checkErasedStreams(log.read, event)));
    }
    if (findings.length >= findingsMax) enough.abort();
  };
  await scan(log, { after: 0, through: head }, check, enough.signal);
  return { faults: findings.slice(0, findingsMax), clocks: clocks.found() };
};

const faultsOf = (event: RecordedEvent, revisions: Map<string, number>): readonly string[] => {
  const { stream, revision, envelope } = event;
  const before = revisions.get(stream);
  revisions.set(stream, revision);
  const place = `${stream}, revision ${revision}`;
  const faults: string[] = [];
  if (before !== undefined && revision !== before + 1) faults.push(`${place}: it follows revision ${before}.`);
  if (isAltered(event, envelope.commitment)) {
    faults.push(`${place}: the content does not match its commitment.`);
  }
  if (isContradictory(event)) faults.push(contradictionAt(event));
  return faults;
};
