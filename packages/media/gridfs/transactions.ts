import { setTimeout as pause } from 'node:timers/promises';
import { type ClientSession, type MongoClient, MongoError } from 'mongodb';
import { retryPauseMsMax } from '../limits.ts';

/** What a call within a transaction is given. */
export type Within = { readonly session: ClientSession; readonly signal: AbortSignal };

/** All of the work or nothing, durable when it resolves. Done again, from the start, where another writer was in the way, until the signal
 * aborts; the work must stand being repeated. */
export const inTransaction = async (client: MongoClient, signal: AbortSignal, work: (within: Within) => Promise<void>): Promise<void> => {
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
      // Aborts what was not committed. Nobody waits for that: the server may not answer.
      void session.endSession().catch(() => undefined);
    }
    await pause(Math.random() * retryPauseMsMax, undefined, { signal });
  }
};

/** After an unknown outcome of a commit, too: what it may have done is found then. */
const mayBeRepeated = (error: unknown): boolean =>
  error instanceof MongoError &&
  (error.hasErrorLabel('TransientTransactionError') || error.hasErrorLabel('UnknownTransactionCommitResult'));
