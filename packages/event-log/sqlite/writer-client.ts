import { Worker } from 'node:worker_threads';
import { type AppendQueue, createAppendQueue } from './append-queue.ts';
import type { FailedPart, FromWriter, ToWriter, WriterData } from './messages.ts';
import { createRpc, type Rpc } from './rpc.ts';
import { createHeadSignal, type HeadSignal } from './subscribe.ts';

/** The writer's thread, as the main thread sees it. */
export type WriterThread = {
  readonly queue: AppendQueue;
  readonly questions: Rpc;
  /** The positions of the log's end and of the follower, as the thread last reported them. */
  readonly head: HeadSignal;
  readonly followed: HeadSignal;
  /** Ends the thread once it has processed all that it was sent, or after `closeWaitMs`. */
  readonly close: () => Promise<void>;
};

export type WriterHooks = {
  /** Called when the thread died: nothing can be appended any more. The handler ends the process. */
  readonly onFatal: (error: Error) => void;
  /** Called when something failed that will be tried again. `noRoom`: because the disk is full. */
  readonly onFailure: (of: FailedPart, error: Error, noRoom: boolean) => void;
};

/** How long closing may take before the thread is terminated, in milliseconds. */
const closeWaitMs = 5_000;

/** Starts the thread and waits until it has opened the log. */
export const startWriter = async (workerData: WriterData, hooks: WriterHooks): Promise<WriterThread> => {
  const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData });
  const send = (message: ToWriter): void => worker.postMessage(message);
  const queue = createAppendQueue((appends) => send({ kind: 'append', appends }));
  const thread = { queue, questions: createRpc(send), head: createHeadSignal(), followed: createHeadSignal() };
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let state: 'opening' | 'open' | 'closed' | 'dead' = 'opening';

  const receive = (message: FromWriter): void => {
    if (message.kind === 'closed') state = 'closed';
    if (message.kind === 'opened') state = 'open';
    if (message.kind === 'opened') opened.resolve();
    process(message, thread, hooks);
  };
  const die = (error: Error): void => {
    if (state === 'dead') return;
    if (state === 'open') hooks.onFatal(error);
    state = 'dead';
    opened.reject(error);
    queue.abandon(error.message);
    thread.questions.abandon(error);
    ended.resolve();
  };
  const close = async (): Promise<void> => {
    const cutOff = setTimeout(() => void worker.terminate(), closeWaitMs);
    await queue.drain();
    send({ kind: 'close' });
    await ended.promise;
    clearTimeout(cutOff);
  };
  worker.on('message', receive);
  worker.on('error', die);
  worker.on('exit', () => die(new Error("The event log's writer thread has ended.")));
  await opened.promise;
  return { ...thread, close };
};

const process = (message: FromWriter, thread: Omit<WriterThread, 'close'>, { onFailure }: WriterHooks): void => {
  switch (message.kind) {
    case 'opened':
      thread.head.move(message.state.head);
      break;
    case 'appended':
      thread.followed.move(message.followed);
      thread.queue.settle(message.outcomes);
      thread.head.move(message.head);
      break;
    case 'followed':
      thread.followed.move(message.followed);
      break;
    case 'answer':
      thread.questions.answer(message.call, message.value);
      break;
    case 'refusal':
      thread.questions.refuse(message.call, message.error);
      break;
    case 'trouble':
      onFailure(message.of, message.error, message.noRoom);
      break;
    case 'closed':
      break;
  }
};
