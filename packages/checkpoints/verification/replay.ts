import type { RecordedEvent } from '@waymark/domain/event.ts';
import { checkpointsStream, isHistory } from '@waymark/domain/streams.ts';
import type { EventLog, Position } from '@waymark/event-log/event-log.ts';
import { readEvents } from '@waymark/event-log/read-stream.ts';
import { createErasureCheck, tooManyErased } from '@waymark/proof/export/erasures.ts';
import { type ComparedCheckpoint, createComparison } from './comparison.ts';
import { findingsMax } from './limits.ts';
import { type Evidence, noKey } from './records.ts';

/** The result of a replay of a log. The lists are sentences. */
export type ReplayedLog = {
  readonly faults: readonly string[];
  /** Contents that are missing although the log records no erasure. While an import runs, the erasure may be still to come. */
  readonly unerased: readonly string[];
  /** What could not be checked. */
  readonly unchecked: readonly string[];
  /** Null where the log was compared with no checkpoint. */
  readonly checkpoint: ComparedCheckpoint | null;
};

/** Checks a log while all of its events are replayed in order: that contents are missing only where an erasure is recorded, and that the events
 * are those that signed checkpoints cover.
 * @param end the last position of the log that counts */
export const createReplayCheck = (log: Pick<EventLog, 'read' | 'lastRevisions'>, evidence: Evidence, end: Position) => {
  const [faults, unchecked]: [string[], Set<string>] = [[], new Set()];
  const report = (fault: string): void => void (faults.length < findingsMax && faults.push(fault));
  const erasures = createErasureCheck(() => false);
  const comparison = evidence.keys.length > 0 ? createComparison(log, evidence, end, report) : undefined;

  const checkErasure = (event: RecordedEvent): void => {
    const finding = erasures.add(event);
    if (finding === tooManyErased) unchecked.add(finding);
    else if (finding !== undefined) report(finding);
  };
  return {
    add: async (events: readonly RecordedEvent[]): Promise<void> => {
      for (const event of events) if (isHistory(event.stream)) checkErasure(event);
      await comparison?.add(events);
    },
    end: async (): Promise<ReplayedLog> => {
      const checkpoint = (await comparison?.end()) ?? null;
      if (await lacksEvidence(log, evidence)) unchecked.add(`The log was not compared with checkpoints: ${reasonOf(evidence)}`);
      const unerased = erasures.end().slice(0, findingsMax);
      return { faults, unerased, unchecked: [...unchecked], checkpoint };
    },
  };
};

/** Returns whether the log was compared with nothing, although it has checkpoints, or has published some. A log of an installation without a
 * notary has none. */
const lacksEvidence = async ({ read }: Pick<EventLog, 'read'>, { keys, published, before }: Evidence): Promise<boolean> => {
  if (keys.length > 0) return published?.latest === 0;
  for await (const first of readEvents(read, checkpointsStream)) return first.position <= before;
  return false;
};

const reasonOf = ({ origin, keys }: Evidence): string => (keys.length === 0 ? noKey : `none of ${origin} is published yet.`);
