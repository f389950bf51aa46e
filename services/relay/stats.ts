import type { PartitionRecord } from '@waymark/broker/broker.ts';
import type { LogState, Position } from '@waymark/event-log/event-log.ts';
import type { RelayPartitions } from './partitions.ts';

export type RelayReport = {
  /** False while it stands by. */
  readonly active: boolean;
  /** The reason why it does not relay although it is the active one. */
  readonly reason: string | undefined;
  /** Whether only an operator can remove that reason. */
  readonly needsOperator: boolean;
  readonly incarnation: string | undefined;
  /** The last known end of the log. */
  readonly head: Position;
  /** The position up to which the log was read. */
  readonly reached: Position;
  /** The position of the last record of each partition. */
  readonly positions: readonly Position[];
  /** Events sent since the start of the process. */
  readonly events: number;
  readonly watermarks: number;
  /** The number of sessions that began, and of those that failed. */
  readonly sessions: number;
  readonly failures: number;
};

export type RelayStats = {
  readonly now: () => RelayReport;
  readonly begins: () => void;
  readonly began: (state: LogState, lanes: RelayPartitions) => void;
  readonly setHead: (state: LogState) => void;
  readonly sent: (records: readonly PartitionRecord[], lanes: RelayPartitions) => void;
  readonly failed: (error: Error, needsOperator: boolean) => void;
  readonly standsBy: () => void;
};

const noReason = { reason: undefined, needsOperator: false };

export const createStats = (): RelayStats => {
  let stats: RelayReport = {
    active: false,
    ...noReason,
    incarnation: undefined,
    head: 0,
    reached: 0,
    positions: [],
    events: 0,
    watermarks: 0,
    sessions: 0,
    failures: 0,
  };
  const change = (changes: Partial<RelayReport>): void => {
    stats = { ...stats, ...changes };
  };
  return {
    now: () => stats,
    begins: () => change({ active: true }),
    began: ({ incarnation, head }, lanes) =>
      change({ ...noReason, incarnation, head, positions: lanes.positions(), sessions: stats.sessions + 1 }),
    setHead: ({ head }) => change({ head }),
    sent: (records, lanes) => {
      const events = records.filter(({ event }) => event !== null).length;
      change({
        events: stats.events + events,
        watermarks: stats.watermarks + records.length - events,
        reached: lanes.reached(),
        positions: lanes.positions(),
        head: Math.max(stats.head, lanes.reached()),
      });
    },
    failed: ({ message }, needsOperator) => change({ reason: message, needsOperator, failures: stats.failures + 1 }),
    standsBy: () => change({ active: false, ...noReason }),
  };
};
