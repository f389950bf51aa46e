import { fdatasyncSync, openSync, writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

const file = openSync(workerData as string, 'a');
parentPort?.on('message', (bodies: readonly string[]) => {
  writeSync(file, `${bodies.join('\n')}\n`);
  fdatasyncSync(file);
  parentPort?.postMessage('stored');
});
