// The thread that keeps the history of every edit, and answers questions about it. `history.ts` starts it.

import { parentPort, workerData } from 'node:worker_threads';
import { answerCall } from '@waymark/threads/calls.ts';
import { openHistoryIndexer } from './indexer.ts';
import type { FromHistory, HistoryCall, HistoryData, ToHistory } from './messages.ts';

if (parentPort === null) throw new Error('This file must be started as a worker thread.');
const port = parentPort;
const post = (message: FromHistory): void => port.postMessage(message);

const indexer = openHistoryIndexer(workerData as HistoryData, (error) => post({ kind: 'failed', error }));

const run = (call: HistoryCall): unknown => {
  switch (call.kind) {
    case 'ask':
      return indexer.ask(call.question, call.at);
    case 'cleaned':
      return indexer.cleaned(call.through, call.withinMs);
    case 'replace':
      return indexer.replace(call.file);
    case 'position':
      return indexer.position();
    case 'close':
      return indexer.close();
  }
};

port.on('message', (message: ToHistory) => void answerCall(message.call, () => run(message), post));
