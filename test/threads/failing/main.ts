import { existsSync } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';

// Loaded into a server, and so into each of its threads, before their own code. An HTTP thread fails once the file exists that FAILS_FILE
// names.

const pollEveryMs = 20;
const file = process.env['FAILS_FILE'] ?? '';

const failOnce = (): void => {
  if (existsSync(file)) throw new Error('The thread fails, as the test wants.');
};

if (!isMainThread && workerData?.threadBytes !== undefined) setInterval(failOnce, pollEveryMs).unref();
