// The thread that fills new read models from the log, started by `rebuild.ts`.

import { parentPort, workerData } from 'node:worker_threads';
import { type LogReader, openLogReader } from '@waymark/event-log/sqlite/reader.ts';
import type { ReadModels } from '@waymark/read-models/read-models.ts';
import { openSqliteReadModels, sqliteRebuild } from '@waymark/read-models/sqlite/read-models.ts';
import type { RebuildData, RebuildDone } from './rebuild.ts';

/** Events that are read and applied at once. */
const batchEvents = 5_000;
/** The distance behind the log at which the projector takes over: it can apply that many events between two commits. */
const nearEvents = 500;

const { log: logFile, file, upTo, memoryBytes } = workerData as RebuildData;

const fill = async (): Promise<RebuildDone> => {
  const startedMs = performance.now();
  const { reader: log, close } = openLogReader(logFile);
  const { incarnation, head } = log.state();
  const models = sqliteRebuild({ file, memoryBytes });
  await models.apply(0, 0, [], { incarnation, position: 0, event: '' });
  const events = await applyUpTo(models, log, incarnation, upTo ?? head);
  models.finish();
  const later = upTo === null ? await catchUp(log, incarnation) : 0;
  close();
  return { events: events + later, seconds: (performance.now() - startedMs) / 1000 };
};

/** Applies the events of the log up to a position.
 * @returns the number of events */
const applyUpTo = async (
  models: Pick<ReadModels, 'apply'>,
  log: LogReader,
  incarnation: string,
  end: number,
  from = 0,
): Promise<number> => {
  let position = from;
  let events = 0;
  for (;;) {
    const batch = log.after(position, batchEvents).filter((event) => event.position <= end);
    const last = batch.at(-1);
    if (last === undefined) return events;
    await models.apply(0, position, batch, { incarnation, position: last.position, event: last.envelope.id });
    events += batch.length;
    position = last.position;
  }
};

/** Applies the events that were appended in the meantime, until a pass finds at most `nearEvents` of them.
 * @returns the number of events */
const catchUp = async (log: LogReader, incarnation: string): Promise<number> => {
  const models = openSqliteReadModels({ file, mode: 'writer', memoryBytes });
  let events = 0;
  for (let behind = Number.POSITIVE_INFINITY; behind > nearEvents; ) {
    const { position } = await models.position(0);
    behind = await applyUpTo(models, log, incarnation, log.state().head, position);
    events += behind;
  }
  models.close();
  return events;
};

parentPort?.postMessage(await fill());
