// Loaded before a server. Each SIGUSR2 ends the thread of the history, whatever it is doing.

import { isMainThread, type Worker } from 'node:worker_threads';

if (isMainThread) {
  const started: Worker[] = [];
  process.on('worker', (worker) => started.push(worker));
  process.on('SIGUSR2', () => {
    const history = started.findLast(({ threadName }) => threadName === 'history');
    void history?.terminate().then(() => process.stderr.write('the thread of the history was ended\n'));
  });
}
