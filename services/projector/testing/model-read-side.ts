import { setImmediate as turn } from 'node:timers/promises';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { ReadModelsUnavailable, type ReadPosition } from '@waymark/read-models/read-models.ts';
import type { FedGeneration, Step } from '../ports.ts';
import { type ModelLog, modelPartitions } from './model-log.ts';

/** A fault of a transaction: it fails, or it is applied and the response is lost. */
export type Fault = 'none' | 'fails' | 'answer lost';

export type ModelReadSide = FedGeneration & {
  readonly applied: (partition: number) => readonly RecordedEvent[];
  readonly position: (partition: number) => ReadPosition | undefined;
  /** Each moment at which the generation was no exact prefix of the log, as text. */
  readonly violations: readonly string[];
  /** The steps of all attempted transactions. */
  readonly tried: readonly (readonly Step[])[];
  readonly wipe: () => void;
};

type Lane = { events: RecordedEvent[]; stands: ReadPosition | undefined };

export type ModelReadSideOptions = {
  readonly name?: string;
  /** Whether each partition has its first position. */
  readonly begun?: boolean;
  readonly fault?: () => Fault;
  /** Throws for an event that cannot be projected. */
  readonly project?: (event: RecordedEvent) => void;
};

/** Creates a generation in memory that checks after each transaction whether it matches the log. */
export const modelReadSide = (
  log: ModelLog,
  { name = '1-1', begun = true, fault = () => 'none', project = () => undefined }: ModelReadSideOptions = {},
): ModelReadSide => {
  const beginning: ReadPosition | undefined = begun ? { incarnation: log.incarnation(), position: 0, event: '' } : undefined;
  const lanes: Lane[] = Array.from({ length: modelPartitions }, () => ({ events: [], stands: beginning }));
  const violations: string[] = [];
  const tried: (readonly Step[])[] = [];

  const matches = ({ partition, after, afterEvent, to }: Step): boolean => {
    const stands = lanes[partition]?.stands;
    if (stands === undefined) return after === 0;
    return stands.position === after && stands.event === afterEvent && stands.incarnation === to.incarnation;
  };
  const write = ({ partition, events, to }: Step): void => {
    const lane = lanes[partition];
    if (lane === undefined) return;
    lane.events.push(...events);
    lane.stands = to;
    const expected = log.eventsOf(partition).filter(({ position }) => position <= to.position);
    const isPrefix = lane.events.length === expected.length && expected.every(({ position }, at) => lane.events[at]?.position === position);
    if (log.incarnation() === to.incarnation && !isPrefix) {
      violations.push(`partition ${partition} at ${to.position} has ${positionsOf(lane.events)}, the log ${positionsOf(expected)}`);
    }
    if (to.event !== (expected.at(-1)?.envelope.id ?? '')) violations.push(`partition ${partition} at ${to.position} names ${to.event}`);
  };

  return {
    name,
    violations,
    tried,
    applied: (partition) => lanes[partition]?.events ?? [],
    position: (partition) => lanes[partition]?.stands,
    wipe: () => {
      for (const lane of lanes) Object.assign(lane, { events: [], stands: undefined });
    },
    positions: async () => {
      await turn();
      if (fault() === 'fails') throw new ReadModelsUnavailable('The read models are unavailable.');
      return lanes.map(({ stands }) => stands);
    },
    applyTogether: async (steps) => {
      await turn();
      tried.push(steps);
      const goesWrong = fault();
      if (goesWrong === 'fails') throw new ReadModelsUnavailable('The read models are unavailable.');
      for (const { events } of steps) events.forEach(project);
      if (!steps.every(matches)) return false;
      steps.forEach(write);
      await turn();
      if (goesWrong === 'answer lost') throw new ReadModelsUnavailable('The response was lost.');
      return true;
    },
  };
};

const positionsOf = (events: readonly RecordedEvent[]): string => events.map(({ position }) => position).join(' ');
