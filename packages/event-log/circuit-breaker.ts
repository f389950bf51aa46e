import { withDeadline } from '@waymark/timing/deadline.ts';
import { type EventLog, LogUnavailable } from './event-log.ts';

/** How long a read may take before the log counts as unavailable, in milliseconds. */
const answerMsDefault = 1_000;
/** How often one read is passed on while the log is unavailable, to find out whether it answers again, in milliseconds. */
const retryMsDefault = 250;

export type CircuitBreakerOptions = {
  readonly answerMs?: number;
  readonly retryMs?: number;
  /** The logger that is notified when the log counts as unavailable, and when it answers again. */
  readonly logger?: { readonly warn: (fields: object, message: string) => void; readonly info: (fields: object, message: string) => void };
};

/** Wraps a log for readers that can do without it. Once one read has had no answer in time, all reads are rejected at once. Therefore only
 * the first reader waits for a log that hangs. Appends and subscriptions are passed on unchanged. */
export const createCircuitBreaker = (log: EventLog, options: CircuitBreakerOptions = {}): EventLog => {
  const { answerMs = answerMsDefault, retryMs = retryMsDefault, logger } = options;
  let isOpen = false;
  let isTrying = false;
  let tryAgainMs = 0;
  const silent = (): never => {
    throw new LogUnavailable(`The event log did not answer within ${answerMs} ms.`);
  };

  const call = async <Answer>(question: () => Promise<Answer>): Promise<Answer> => {
    try {
      const answer = await withDeadline(answerMs, question(), silent);
      if (isOpen) logger?.info({}, 'the event log answers again');
      isOpen = false;
      return answer;
    } catch (error) {
      if (error instanceof LogUnavailable) {
        if (!isOpen) logger?.warn({ err: error }, 'the event log does not answer: reads are refused until it does');
        isOpen = true;
        tryAgainMs = performance.now() + retryMs;
      }
      throw error;
    }
  };

  const unlessOpen = <Answer>(question: () => Promise<Answer>): Promise<Answer> => {
    if (!isOpen) return call(question);
    if (!isTrying && performance.now() >= tryAgainMs) {
      isTrying = true;
      call(question)
        .catch(() => undefined)
        .finally(() => {
          isTrying = false;
        });
    }
    return Promise.reject(new LogUnavailable('The event log did not answer a moment ago.'));
  };

  return {
    ...log,
    read: (stream, from) => unlessOpen(() => log.read(stream, from)),
    lastRevisions: (streams) => unlessOpen(() => log.lastRevisions(streams)),
    owners: (streams) => unlessOpen(() => log.owners(streams)),
    state: () => unlessOpen(() => log.state()),
  };
};
