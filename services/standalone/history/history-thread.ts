// The thread that keeps the history of every edit, answers questions about it, and has the notary. `history.ts` starts it.

import { parentPort, workerData } from 'node:worker_threads';
import type { NotaryStatus } from '@waymark/notary/app.ts';
import { answerCall, createCalls } from '@waymark/threads/calls.ts';
import type { RemoteOutcome } from '../notary/thread-log.ts';
import { openHistoryIndexer } from './indexer.ts';
import { askedMs, quietMs, watchMs } from './limits.ts';
import type { CheckpointAppend, FromHistory, HistoryCall, HistoryData, NotaryLine, ToHistory } from './messages.ts';

if (parentPort === null) throw new Error('This file must be started as a worker thread.');
const port = parentPort;
const post = (message: FromHistory): void => port.postMessage(message);

const calls = createCalls<CheckpointAppend>(post);
const line = (level: NotaryLine['level']) => (fields: object, text: string) => post({ kind: 'line', level, fields, text });
let refuses: NotaryStatus['reason'];

const indexer = openHistoryIndexer(workerData as HistoryData, (error) => post({ kind: 'failed', error }), {
  append: async (...append) => (await calls.ask({ kind: 'append', append })) as RemoteOutcome,
  logger: { info: line('info'), warn: line('warn'), error: line('error') },
  changed: ({ reason }) => {
    if (reason !== refuses) post({ kind: 'notary-refuses', reason });
    refuses = reason;
  },
});

let endsAtMs = 0;
const staysFor = (ms: number): void => {
  endsAtMs = Math.max(endsAtMs, performance.now() + ms);
};
staysFor(quietMs);
const watch = setInterval(() => {
  if (!indexer.isQuiet()) staysFor(quietMs);
  else if (performance.now() >= endsAtMs) post({ kind: 'quiet' });
}, watchMs);

const run = (call: HistoryCall): unknown => {
  switch (call.kind) {
    case 'ask':
      staysFor(askedMs);
      return indexer.ask(call.question, call.at);
    case 'cleaned':
      return indexer.cleaned(call.through, call.withinMs);
    case 'replace':
      return indexer.replace(call.file);
    case 'notary':
      return indexer.notary();
    case 'position':
      return indexer.position();
    case 'close':
      clearInterval(watch);
      return indexer.close();
  }
};

port.on('message', (message: ToHistory) => {
  if (message.kind === 'answer' || message.kind === 'refusal') calls.settle(message);
  else void answerCall(message.call, () => run(message), post);
});
