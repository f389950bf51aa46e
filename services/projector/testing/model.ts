import type { Announcement } from '@waymark/read-models/visibility/announcements.ts';
import { pino } from 'pino';
import { createProjection, type Projection } from '../partitions/projection.ts';
import { type ModelLog, modelLog, modelPartitions } from './model-log.ts';
import { type ModelGeneration, type ModelReadSideOptions, modelGeneration } from './model-read-side.ts';
import { modelRelay } from './model-relay.ts';
import { waitUntil } from './until.ts';

type ModelOptions = ModelReadSideOptions & {
  readonly logFaulty?: () => boolean;
  readonly projections?: number;
  readonly roundEveryMs?: number;
  readonly standingEveryMs?: number;
};

/** Creates a log, a relay, read models, and one or more projections between them. */
export const model = ({ roundEveryMs = 0, standingEveryMs, ...options }: ModelOptions = {}) => {
  const log = modelLog(options.logFaulty);
  const readSide = modelGeneration(log, options);
  const announced: Announcement[] = [];
  const lines: string[] = [];
  const projections = Array.from({ length: options.projections ?? 1 }, () =>
    createProjection({
      generation: readSide,
      log,
      partitions: modelPartitions,
      roundEveryMs,
      ...(standingEveryMs !== undefined && { standingEveryMs }),
      announce: (announcements) => announced.push(...announcements),
      logger: pino({ level: 'info' }, { write: (line) => void lines.push(line) }),
    }),
  );
  return {
    log,
    readSide,
    relay: modelRelay(log),
    projections,
    projection: projections[0] as Projection,
    announced,
    lines,
    stop: () => Promise.all(projections.map(({ stop }) => stop())),
  };
};

export const isComplete = (log: ModelLog, readSide: ModelGeneration): boolean =>
  Array.from({ length: modelPartitions }, (_, partition) => partition).every(
    (partition) => readSide.applied(partition).length === log.eventsOf(partition).length,
  );

/** Expects the final state: everything is there, and the read models were an exact prefix of the log at all times. */
export const expectComplete = async (log: ModelLog, readSide: ModelGeneration): Promise<void> => {
  await waitUntil('the read models have all events of the log', () => readSide.violations.length > 0 || isComplete(log, readSide));
  expect(readSide.violations).toEqual([]);
  for (let partition = 0; partition < modelPartitions; partition += 1) {
    expect(readSide.applied(partition)).toEqual(log.eventsOf(partition));
  }
};
