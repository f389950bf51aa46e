// The thread that fills new read models from the log, started by `rebuild.ts`.

import { parentPort, workerData } from 'node:worker_threads';
import { type LogReader, openLogReader } from '@waymark/event-log/sqlite/reader.ts';
import { openSqliteReadModels, sqliteRebuild } from '@waymark/read-models/sqlite/read-models.ts';
import { applyRange, partition } from './apply-log.ts';
import type { RebuildData, RebuildDone } from './rebuild.ts';

/** The distance behind the log at which the projector takes over: it can apply that many events between two commits. */
const nearEvents = 500;

const { log: logFile, file, upTo, memoryBytes } = workerData as RebuildData;

const fill = async (): Promise<RebuildDone> => {
  const startedMs = performance.now();
  const { reader: log, close } = openLogReader(logFile);
  const { incarnation, head } = log.state();
  const models = sqliteRebuild({ file, memoryBytes });
  await models.apply(partition, 0, [], { incarnation, position: 0, event: '' });
  const events = await applyRange(models, log.after, incarnation, { after: 0, through: upTo ?? head });
  models.finish();
  const later = upTo === null ? await catchUp(log, incarnation) : 0;
  close();
  return { events: events + later, seconds: (performance.now() - startedMs) / 1000 };
};

/** Applies the events that were appended in the meantime, until a pass finds at most `nearEvents` of them.
 * @returns the number of events */
const catchUp = async (log: LogReader, incarnation: string): Promise<number> => {
  const models = openSqliteReadModels({ file, mode: 'writer', memoryBytes });
  let events = 0;
  for (let behind = Number.POSITIVE_INFINITY; behind > nearEvents; ) {
    const { position: after } = await models.position(partition);
    behind = await applyRange(models, log.after, incarnation, { after, through: log.state().head });
    events += behind;
  }
  models.close();
  return events;
};

parentPort?.postMessage(await fill());
