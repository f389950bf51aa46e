// Loaded before a server. Prints when the thread of the history starts, and when it ends.

import { isMainThread } from 'node:worker_threads';

const told = (what: string) => (): void => void process.stderr.write(`the thread of the history ${what}\n`);

if (isMainThread) {
  process.on('worker', (worker) => {
    if (worker.threadName !== 'history') return;
    told('starts')();
    worker.once('exit', told('ends'));
  });
}
