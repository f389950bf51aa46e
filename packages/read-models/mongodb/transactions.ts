import { setTimeout as wait } from 'node:timers/promises';
import { unlessAborted } from '@waymark/timing/deadline.ts';
import { type ClientSession, type MongoClient, MongoError } from 'mongodb';
import { ReadModelsUnavailable } from '../read-models.ts';
import { isDuplicate, orUnavailable } from './client.ts';
import type { Writers } from './generations/writers.ts';
import { blockedMs, retryPauseMs, transactionTriesMax } from './limits.ts';

/** Runs a function in a transaction at one snapshot. Its result is valid once a majority has durably committed it. */
export type InTransaction = <Value>(ms: number, body: (context: TransactionContext) => Promise<Value>) => Promise<Value>;

/** The options of each call in a transaction. The calls must run one after the other. */
export type TransactionContext = { readonly session: ClientSession; readonly signal: AbortSignal };

/** Another writer was first. The whole transaction is tried again, and then sees the other's changes. */
export class OvertakenTransaction extends Error {}

/** Creates a function that runs transactions, and repeats those that conflict with another writer, up to a limit. Sessions are reused: the
 * next transaction of a session ends whatever its last one left open on the server, locks included. Transactions that other processes left
 * open are ended if they block this process.
 * @param writers the sessions of writers, for transactions that write */
export const transactions = (client: MongoClient, writers?: Writers): InTransaction => {
  const idle: ClientSession[] = [];
  let blockedSinceMs: number | undefined;

  const attempt = async <Value>(signal: AbortSignal, body: (context: TransactionContext) => Promise<Value>): Promise<Value> => {
    const session = idle.pop() ?? client.startSession({ causalConsistency: false });
    let last: Promise<void> = Promise.resolve();
    try {
      await writers?.note(session);
      session.startTransaction({ readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority', journal: true } });
      const value = await body({ session, signal });
      last = session.commitTransaction();
      await withSignal(signal, last);
      return value;
    } catch (error) {
      if (session.inTransaction()) last = last.then(() => session.abortTransaction());
      await withSignal(signal, last).catch(() => undefined);
      throw error;
    } finally {
      // A commit or an abort that is still in progress would change the state of the session's next transaction.
      void last.catch(() => undefined).then(() => idle.push(session));
    }
  };

  return async (ms, body) => {
    const signal = AbortSignal.timeout(ms);
    for (let tries = 1; ; tries += 1) {
      try {
        const value = await orUnavailable(() => attempt(signal, body));
        blockedSinceMs = undefined;
        return value;
      } catch (error) {
        if (!mayTryAgain(error)) throw error;
        blockedSinceMs ??= performance.now();
        if (writers && performance.now() - blockedSinceMs > blockedMs) {
          blockedSinceMs = undefined;
          await writers.endOthers();
        }
        if (tries >= transactionTriesMax || signal.aborted)
          throw new ReadModelsUnavailable('MongoDB: the transaction conflicts with others again and again.', { cause: error });
      }
      await wait(Math.random() * retryPauseMs * tries);
    }
  };
};

/** Returns whether nothing of the transaction was kept. A commit with an unknown outcome is not repeated: its own writes would look like
 * those of another writer. */
const mayTryAgain = (error: unknown): boolean => {
  if (error instanceof OvertakenTransaction) return true;
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof MongoError) || cause.hasErrorLabel('UnknownTransactionCommitResult')) return false;
  return cause.hasErrorLabel('TransientTransactionError') || isDuplicate(cause);
};

/** Waits for a promise until the signal aborts, because the driver accepts no signal with a commit.
 * @throws ReadModelsUnavailable */
const withSignal = <Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> =>
  unlessAborted(signal, promise, () => {
    throw new ReadModelsUnavailable('MongoDB: the time limit was exceeded.');
  });
