import { setTimeout as pause } from 'node:timers/promises';
import { type ClientSession, type MongoClient, MongoError } from 'mongodb';
import { retryPauseMsMax } from '../limits.ts';

/** The session and the signal for calls within a transaction. */
export type TransactionContext = { readonly session: ClientSession; readonly signal: AbortSignal };

/** Runs the work in a transaction that is durable when the promise resolves. After a conflict with another writer, runs it again from the
 * start, until the signal aborts. The work must be repeatable. */
export const inTransaction = async (
  client: MongoClient,
  signal: AbortSignal,
  work: (context: TransactionContext) => Promise<void>,
): Promise<void> => {
  for (;;) {
    signal.throwIfAborted();
    const session = client.startSession();
    try {
      session.startTransaction();
      await work({ session, signal });
      await session.commitTransaction();
      return;
    } catch (error) {
      if (!mayBeRepeated(error)) throw error;
    } finally {
      // Aborts a transaction that was not committed. This is not awaited, because the server may not answer.
      void session.endSession().catch(() => undefined);
    }
    await pause(Math.random() * retryPauseMsMax, undefined, { signal });
  }
};

/** Also true after a commit with an unknown outcome: the repeated work finds what that commit has stored. */
const mayBeRepeated = (error: unknown): boolean =>
  error instanceof MongoError &&
  (error.hasErrorLabel('TransientTransactionError') || error.hasErrorLabel('UnknownTransactionCommitResult'));
