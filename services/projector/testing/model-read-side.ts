import { setImmediate as turn } from 'node:timers/promises';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { ReadModelsUnavailable, type ReadPosition, TransactionTooLarge } from '@waymark/read-models/read-models.ts';
import type { Step, WritableGeneration } from '../ports.ts';
import { type ModelLog, modelPartitions } from './model-log.ts';

/** A fault of a transaction: it fails, or it is applied and the response is lost. */
export type Fault = 'none' | 'fails' | 'answer lost';

export type ModelGeneration = WritableGeneration & {
  readonly applied: (partition: number) => readonly RecordedEvent[];
  readonly position: (partition: number) => ReadPosition | undefined;
  /** Each moment at which the generation was no exact prefix of the log, as text. */
  readonly violations: readonly string[];
  /** The steps of all attempted transactions. */
  readonly tried: readonly (readonly Step[])[];
  readonly wipe: () => void;
};

type ModelPartition = { events: RecordedEvent[]; reached: ReadPosition | undefined };

export type ModelReadSideOptions = {
  readonly name?: string;
  /** Whether each partition has its first position. */
  readonly begun?: boolean;
  readonly fault?: () => Fault;
  /** The number of events that one transaction may have. */
  readonly eventsMax?: number;
  /** Throws for an event that cannot be projected. */
  readonly project?: (event: RecordedEvent) => void;
};

/** Creates a generation in memory that checks after each transaction whether it matches the log. */
export const modelGeneration = (
  log: ModelLog,
  { name = '1-1', begun = true, fault = () => 'none', project = () => undefined, eventsMax }: ModelReadSideOptions = {},
): ModelGeneration => {
  const beginning: ReadPosition | undefined = begun ? { incarnation: log.incarnation(), position: 0, event: '' } : undefined;
  const partitionStates: ModelPartition[] = Array.from({ length: modelPartitions }, () => ({ events: [], reached: beginning }));
  const violations: string[] = [];
  const tried: (readonly Step[])[] = [];

  const matches = ({ partition, after, afterEvent, to }: Step): boolean => {
    const reached = partitionStates[partition]?.reached;
    if (reached === undefined) return after === 0;
    return reached.position === after && reached.event === afterEvent && reached.incarnation === to.incarnation;
  };
  const write = ({ partition, events, to }: Step): void => {
    const partitionState = partitionStates[partition];
    if (partitionState === undefined) return;
    partitionState.events.push(...events);
    partitionState.reached = to;
    const expected = log.eventsOf(partition).filter(({ position }) => position <= to.position);
    const isPrefix =
      partitionState.events.length === expected.length &&
      expected.every(({ position }, at) => partitionState.events[at]?.position === position);
    if (log.incarnation() === to.incarnation && !isPrefix) {
      violations.push(
        `partition ${partition} at ${to.position} has ${positionsOf(partitionState.events)}, the log ${positionsOf(expected)}`,
      );
    }
    if (to.event !== (expected.at(-1)?.envelope.id ?? '')) violations.push(`partition ${partition} at ${to.position} names ${to.event}`);
  };

  return {
    name,
    violations,
    tried,
    applied: (partition) => partitionStates[partition]?.events ?? [],
    position: (partition) => partitionStates[partition]?.reached,
    wipe: () => {
      for (const partitionState of partitionStates) Object.assign(partitionState, { events: [], reached: undefined });
    },
    positions: async () => {
      await turn();
      if (fault() === 'fails') throw new ReadModelsUnavailable('The read models are unavailable.');
      return partitionStates.map(({ reached }) => reached);
    },
    applyTogether: async (steps) => {
      await turn();
      tried.push(steps);
      const current = fault();
      if (current === 'fails') throw new ReadModelsUnavailable('The read models are unavailable.');
      refuseTooLarge(steps, eventsMax);
      for (const { events } of steps) events.forEach(project);
      if (!steps.every(matches)) return false;
      steps.forEach(write);
      await turn();
      if (current === 'answer lost') throw new ReadModelsUnavailable('The response was lost.');
      return true;
    },
  };
};

const positionsOf = (events: readonly RecordedEvent[]): string => events.map(({ position }) => position).join(' ');

const refuseTooLarge = (steps: readonly Step[], eventsMax = Number.POSITIVE_INFINITY): void => {
  if (steps.flatMap(({ events }) => events).length > eventsMax) throw new TransactionTooLarge('The transaction is too large.');
};
