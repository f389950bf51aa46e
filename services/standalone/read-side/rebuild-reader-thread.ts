// The thread that reads the log for `rebuild-thread.ts`, and does all work on the events that needs no lookup.

import { parentPort, workerData } from 'node:worker_threads';
import { openLogReader } from '@waymark/event-log/sqlite/reader.ts';
import { packEvents } from '@waymark/read-models/projection/packed.ts';
import { batches } from './apply-log.ts';
import { aheadMax, type LogBatch, type ReaderData, sizeOf } from './rebuild-reader.ts';

/** Events that are read and passed at once. */
const batchEvents = 1_000;

const { log, through, ahead } = workerData as ReaderData;

/** Waits while the rebuild has much to apply. */
const waitForRebuild = (): void => {
  for (let size = Atomics.load(ahead, 0); size >= aheadMax; size = Atomics.load(ahead, 0)) Atomics.wait(ahead, 0, size);
};

const { reader, close } = openLogReader(log);
for (const { events, last } of batches(reader.after, { after: 0, through }, batchEvents)) {
  const packed = packEvents(events);
  Atomics.add(ahead, 0, sizeOf(packed));
  const batch: LogBatch = { packed, last: { position: last.position, event: last.envelope.id } };
  parentPort?.postMessage(batch);
  waitForRebuild();
}
close();
