// The thread that compares a log with checkpoints. `replay.ts` starts it.

import { parentPort, workerData } from 'node:worker_threads';
import { createReplayCheck } from '@waymark/checkpoints/verification/replay.ts';
import { readEventsMax, subscriptionEventsMax } from '@waymark/event-log/event-log.ts';
import { openLogReader } from '@waymark/event-log/sqlite/reader.ts';
import type { ReplayData } from './replay.ts';

const { file, evidence } = workerData as ReplayData;

const { reader, close } = openLogReader(file);
const { head } = reader.state();
const check = createReplayCheck(
  {
    read: async (stream, from) => reader.read(stream, from, readEventsMax),
    lastRevisions: async (streams) => reader.last(streams),
  },
  evidence,
  head,
);
for (let position = 0; position < head; ) {
  const events = reader.after(position, subscriptionEventsMax).filter((event) => event.position <= head);
  await check.add(events);
  position = events.at(-1)?.position ?? head;
}
const replayed = await check.end();
close();
parentPort?.postMessage(replayed);
