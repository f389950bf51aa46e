// The thread that fills new read models from the log, started by `rebuild.ts`. Another thread reads the log for it.

import { on } from 'node:events';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { type LogReader, openLogReader } from '@waymark/event-log/sqlite/reader.ts';
import { openSqliteReadModels, sqliteRebuild } from '@waymark/read-models/sqlite/read-models.ts';
import { sharedNumber } from '@waymark/threads/shared-number.ts';
import { applyRange, partition } from './apply-log.ts';
import type { RebuildData, RebuildDone } from './rebuild.ts';
import { type LogBatch, type ReaderData, sizeOf } from './rebuild-reader.ts';

/** The distance behind the log at which the projector takes over: it can apply that many events between two commits. */
const nearEvents = 500;

const { log: logFile, file, upTo, memoryBytes } = workerData as RebuildData;

const fill = async (): Promise<RebuildDone> => {
  const startedMs = performance.now();
  const { reader: log, close } = openLogReader(logFile);
  const { incarnation, head } = log.state();
  const models = sqliteRebuild({ file, memoryBytes });
  await models.apply(partition, 0, [], { incarnation, position: 0, event: '' });
  const events = await applyLog(models, incarnation, upTo ?? head);
  models.finish();
  const later = upTo === null ? await catchUp(log, incarnation) : 0;
  close();
  return { events: events + later, seconds: (performance.now() - startedMs) / 1000 };
};

/** Applies the log up to a position, while another thread reads it and does all work that needs no lookup.
 * @returns the number of events */
const applyLog = async ({ applyPacked }: ReturnType<typeof sqliteRebuild>, incarnation: string, through: number): Promise<number> => {
  const ahead = sharedNumber();
  const data: ReaderData = { log: logFile, through, ahead };
  const reader = new Worker(new URL('./rebuild-reader-thread.ts', import.meta.url), { workerData: data });
  let position = 0;
  let events = 0;
  // An error of the thread ends the loop with this error.
  for await (const [{ packed, last }] of on(reader, 'message', { close: ['exit'] }) as AsyncIterable<[LogBatch]>) {
    if (!applyPacked(partition, position, packed, { incarnation, ...last }))
      throw new Error('The position of the new read models has changed.');
    position = last.position;
    events += packed.events;
    Atomics.sub(ahead, 0, sizeOf(packed));
    Atomics.notify(ahead, 0);
  }
  return events;
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
