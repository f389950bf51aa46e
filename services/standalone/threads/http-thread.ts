// A thread that answers requests beside the main thread. `http-threads.ts` starts it.

import { parentPort, workerData } from 'node:worker_threads';
import { type Collected, createCollector } from '@waymark/access/refusals/collector.ts';
import { connectSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { HistoryUnavailable } from '@waymark/history/history.ts';
import type { Question, Reply } from '@waymark/history/reading/questions.ts';
import { openDiskMedia } from '@waymark/media/disk/media.ts';
import { openSqliteProofReads } from '@waymark/proof-store/sqlite/proof-store.ts';
import { answerCall, createCalls } from '@waymark/threads/calls.ts';
import { pino } from 'pino';
import { openApi } from '../api.ts';
import { openReadSide } from '../read-side/read-side.ts';
import { createThreadWriteGate } from '../write-gate.ts';
import { createAnswering } from './answering.ts';
import type { FromThread, HistoryQuestion, ThreadCall, ThreadData, TokenCall, ToThread } from './messages.ts';
import { openRemoteTokens } from './remote-tokens.ts';

if (parentPort === null) throw new Error('This file must be started as a worker thread.');
const port = parentPort;
const { settings, directory, threadBytes, numbers, log: connection, ...data } = workerData as ThreadData;
const post = (message: FromThread): void => port.postMessage(message);

const logger = pino({ level: settings.WAYMARK_LOG_LEVEL, base: null }, { write: (line: string) => post({ kind: 'line', line }) });
const connected = connectSqliteEventLog(connection);
const { shown, damaged } = numbers;
const readSide = openReadSide({ directory: directory.readModels, memoryBytes: threadBytes, shown, damaged });
const calls = createCalls<TokenCall | HistoryQuestion>(post);
const tokens = openRemoteTokens(directory.tokens, calls);
const writes = createThreadWriteGate(connected);
const { metrics, adapters, lifecycle } = createAnswering({ settings, logger, log: connected, writes, numbers, threadBytes });
const refused = createCollector();
const media = openDiskMedia({ directory: directory.media });
const proofs = openSqliteProofReads(directory.proofs);
const { models } = readSide;

const { followed } = connected;
const askHistory = async (question: Question, at = followed()): Promise<Reply> => {
  const asked = (await calls.ask({ kind: 'ask-history', question, at })) as Reply | undefined;
  if (asked === undefined) throw new HistoryUnavailable('The history is not complete yet.');
  return asked;
};

const api = await openApi({
  ...{
    ...data,
    ...lifecycle,
    ...adapters,
    models,
    settings,
    threadBytes,
    writes,
    tokens,
    media,
    proofs,
    askHistory,
    // The main thread runs the jobs, and looks for them.
    undoStarted: () => undefined,
    noteRefused: refused.note,
    followed,
  },
  reusePort: true,
});

const run = async (call: ThreadCall): Promise<unknown> => {
  switch (call.kind) {
    case 'refresh':
      return readSide.refresh();
    case 'answer-as':
      return api.answerAs(call.incarnation);
    case 'metrics':
      return metrics.snapshot();
    case 'take-refused':
      return takeRefused();
    case 'close': {
      await api.close(call.withinMs);
      readSide.close();
      proofs.close();
      await connected.close();
      tokens.close();
      return takeRefused();
    }
  }
};

const takeRefused = (): readonly Collected[] => {
  const taken = refused.take();
  for (const one of taken) refused.release(one);
  return taken;
};

port.on('message', (message: ToThread) => {
  if (message.kind === 'answer' || message.kind === 'refusal') calls.settle(message);
  else void answerCall(message.call, () => run(message), post);
});
post({ kind: 'listening' });
