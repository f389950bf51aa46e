import { Worker } from 'node:worker_threads';
import type { Evidence } from '@waymark/checkpoints/verification/evidence.ts';
import type { ReplayedLog } from '@waymark/checkpoints/verification/replay.ts';

/** The input of the thread that replays a log. */
export type ReplayData = {
  /** The file of the log. */
  readonly file: string;
  readonly evidence: Evidence;
};

/** Replays a log in a separate thread, and compares it with checkpoints, while the log may be written. */
export const replayLog = (data: ReplayData): Promise<ReplayedLog> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./replay-thread.ts', import.meta.url), { workerData: data });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The thread that replays the log ended without a result.')));
  });
