import { type Applications, createApplications } from '@waymark/access/applications.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import type { SqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import type { RequestLifecycleOptions } from '@waymark/http/request-lifecycle.ts';
import type { WriteGate } from '@waymark/operations/write-gate.ts';
import type { Logger } from 'pino';
import { createThreadMetrics, type ThreadMetrics } from '../metrics/thread-metrics.ts';
import { createVisibility } from '../read-side/visibility.ts';
import type { Settings } from '../settings.ts';
import type { SharedNumbers } from './messages.ts';

export type AnsweringOptions = {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly log: SqliteEventLog;
  readonly writes: WriteGate;
  readonly numbers: SharedNumbers;
  /** What the caches of this thread take their shares of, in bytes. */
  readonly threadBytes: number;
};

/** What a thread answers requests with, the main thread and HTTP threads alike. */
export type Answering = {
  readonly metrics: ThreadMetrics;
  readonly adapters: {
    /** The log, closed while writes are closed, with its appends timed. */
    readonly log: EventLog;
    readonly applications: Applications;
    readonly visible: (account: string, position: number) => boolean | Promise<boolean>;
  };
  readonly lifecycle: Pick<RequestLifecycleOptions, 'observe' | 'logger' | 'closing'> & Pick<ThreadMetrics, 'noteFailure'>;
};

export const createAnswering = ({ settings, logger, log: own, writes, numbers, threadBytes }: AnsweringOptions): Answering => {
  const metrics = createThreadMetrics(logger);
  const log = writes.gated(metrics.timed(own));
  const applications = createApplications(log, { memoryBytes: threadBytes, changes: numbers.changes });
  const reached = createVisibility(own, settings.WAYMARK_READ_WAIT_MS);
  return {
    metrics,
    adapters: { log, applications, visible: (_account, position) => reached(position) },
    lifecycle: {
      observe: metrics.observe,
      noteFailure: metrics.noteFailure,
      logger,
      closing: () => Atomics.load(numbers.closing, 0) === 1,
    },
  };
};
