import { MessageChannel, type MessagePort, type TransferListItem, Worker } from 'node:worker_threads';
import { type Calls, createCalls } from '@waymark/threads/calls.ts';
import { type AppendQueue, createAppendQueue } from './append-queue.ts';
import type { FailedPart, FromWriter, Question, ToWriter, WriterData } from './messages.ts';
import { createMoves, type Moves } from './moves.ts';
import { type SharedState, sharedState } from './shared-state.ts';

/** The writer's thread, as a thread that uses it sees it. */
export type WriterThread = {
  readonly queue: AppendQueue;
  readonly questions: Calls<Question>;
  readonly state: SharedState;
  readonly moves: Moves;
  /** Settles the appends that the thread has accepted, accepts no more, and ends the connection. On the main thread it also ends the writer,
   * once the writer has processed all that it was sent, or after `closeWaitMs`. */
  readonly close: () => Promise<void>;
};

/** The writer's thread, as the main thread sees it. */
export type OwnedWriter = WriterThread & {
  /** Makes a connection that another thread can open. */
  readonly connection: () => WriterConnection;
};

/** A connection to the writer's thread. `port` has to be transferred to the thread that opens it. */
export type WriterConnection = { readonly port: MessagePort; readonly memory: SharedArrayBuffer };

export type WriterHooks = {
  /** Called when the thread died: nothing can be appended any more. The handler ends the process. */
  readonly onFatal: (error: Error) => void;
  /** Called when something failed that will be tried again. `noRoom`: because the disk is full. */
  readonly onFailure: (of: FailedPart, error: Error, noRoom: boolean) => void;
};

/** How long closing may take before the thread is terminated, in milliseconds. */
const closeWaitMs = 5_000;
/** The most that new objects may take in the thread, in MiB. A thread that is given more takes it soon, and is no faster. */
const youngMebibytes = 3;

/** Starts the thread and waits until it has opened the log. */
export const startWriter = async (data: Omit<WriterData, 'memory'>, hooks: WriterHooks): Promise<OwnedWriter> => {
  const state = sharedState();
  const workerData: WriterData = { ...data, memory: state.memory };
  const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: youngMebibytes },
  });
  const send = (message: ToWriter, transferred: readonly TransferListItem[] = []): void => worker.postMessage(message, transferred);
  const client = createClient(state, send);
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let phase: 'opening' | 'open' | 'closed' | 'dead' = 'opening';

  const receive = (message: FromWriter): void => {
    if (message.kind === 'closed') phase = 'closed';
    else if (message.kind === 'trouble') hooks.onFailure(message.of, message.error, message.noRoom);
    else if (message.kind === 'opened') {
      phase = 'open';
      opened.resolve();
    } else client.receive(message);
  };
  const die = (error: Error): void => {
    if (phase === 'dead') return;
    if (phase === 'open') hooks.onFatal(error);
    phase = 'dead';
    opened.reject(error);
    client.abandon(error);
    ended.resolve();
  };
  const close = async (): Promise<void> => {
    const cutOff = setTimeout(() => void worker.terminate(), closeWaitMs);
    await client.queue.drain();
    send({ kind: 'close' });
    await ended.promise;
    clearTimeout(cutOff);
  };
  const connection = (): WriterConnection => {
    const { port1, port2 } = new MessageChannel();
    send({ kind: 'connect', port: port1 }, [port1]);
    return { port: port2, memory: state.memory };
  };
  worker.on('message', receive);
  worker.on('error', die);
  worker.on('exit', () => die(threadEnded()));
  await opened.promise;
  return { ...client, close, connection };
};

/** Opens a connection in another thread than the main thread. */
export const connectToWriter = ({ port, memory }: WriterConnection): WriterThread => {
  const client = createClient(sharedState(memory), (message) => port.postMessage(message));
  port.on('message', client.receive);
  port.on('close', () => client.abandon(threadEnded()));
  const close = async (): Promise<void> => {
    await client.queue.drain();
    port.close();
  };
  return { ...client, close };
};

const threadEnded = (): Error => new Error("The event log's writer thread has ended.");

type ToClient = Exclude<FromWriter, { kind: 'opened' | 'trouble' | 'closed' }>;

/** Creates what every thread that uses the writer has: its appends, its questions, and its listeners. */
const createClient = (state: SharedState, send: (message: ToWriter) => void) => {
  const queue = createAppendQueue(state, (appends) => send({ kind: 'append', appends }));
  const questions = createCalls<Question>(send);
  const moves = createMoves(state);
  const receive = (message: ToClient): void => {
    if (message.kind === 'answer' || message.kind === 'refusal') questions.settle(message);
    else {
      if (message.kind === 'appended') queue.settle(message.outcomes);
      moves.notify();
    }
  };
  const abandon = (error: Error): void => {
    queue.abandon(error.message);
    questions.abandon(error);
  };
  return { state, queue, questions, moves, receive, abandon };
};
