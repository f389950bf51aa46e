import { setTimeout as pause } from 'node:timers/promises';
import { createAlarm } from './alarm.ts';
import { followLog } from './follow.ts';
import { contradictedIntervals } from './limits.ts';
import type { NotaryPorts } from './ports.ts';
import { LogContradicts, ReadAgain } from './refused.ts';
import { createStatusKeeper, type NotaryStatus } from './status.ts';

export { parseNotaryKeys } from './keys.ts';
export { addNotaryMetrics } from './metrics.ts';
export type { NotaryPorts } from './ports.ts';
export { initialStatus, type NotaryStatus } from './status.ts';

/** Signs checkpoints of the log: at most one in each interval, if the log has grown, and one when it is closed. It reads the log only, never a
 * read side. */
export type Notary = {
  readonly status: () => NotaryStatus;
  /** Reads what the log has by now, within a time limit, signs a last checkpoint if the log has grown, and ends. */
  readonly close: () => Promise<void>;
};

/** Starts a notary. Whatever fails, it tries again after an interval.
 * @param changed called with each new status */
export const startNotary = (ports: NotaryPorts, changed: (status: NotaryStatus) => void = () => undefined): Notary => {
  const closing = new AbortController();
  const status = createStatusKeeper(changed);
  const alarm = createAlarm(status, ports.logger);

  /** Runs until the log has to be read again. Returns after how many intervals. */
  const runOnce = async (): Promise<number> => {
    try {
      await runSession(ports, (opened) => followLog({ ...ports, ...opened, status, alarm }, closing.signal));
      return 0;
    } catch (error) {
      if (error instanceof ReadAgain) {
        ports.logger.info({}, `the notary reads the log again: ${error.message}`);
        return error.intervals;
      }
      alarm.raise(error instanceof Error ? error : new Error(String(error)));
      return error instanceof LogContradicts ? contradictedIntervals : 1;
    }
  };
  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const intervals = await runOnce();
      for (let waited = 0; waited < intervals && !closing.signal.aborted; waited += 1) {
        await pause(ports.intervalMs, undefined, { signal: closing.signal }).catch(() => undefined);
        if (ports.beginning.isOrdered()) break;
      }
    }
  };
  const running = run();
  return {
    status: status.now,
    close: async () => {
      closing.abort();
      await running;
    },
  };
};

type Opened = {
  readonly record: ReturnType<NotaryPorts['openRecord']>;
  readonly place: Awaited<ReturnType<NonNullable<NotaryPorts['openPlace']>>> | undefined;
  readonly store: Awaited<ReturnType<NotaryPorts['openStore']>>;
};

/** Opens what a session uses, and closes it afterwards. */
const runSession = async (ports: NotaryPorts, work: (opened: Opened) => Promise<void>): Promise<void> => {
  await using opened = new AsyncDisposableStack();
  const record = opened.adopt(ports.openRecord(), ({ close }) => close());
  const place = ports.openPlace && opened.adopt(await ports.openPlace(), ({ close }) => close());
  const store = opened.adopt(await ports.openStore(), async ({ close }) => close());
  await work({ record, place, store });
};
