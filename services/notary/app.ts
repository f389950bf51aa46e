import { setTimeout as pause } from 'node:timers/promises';
import { createAlarm } from './alarm.ts';
import type { EarlierNotary } from './earlier.ts';
import { followLog } from './follow.ts';
import { contradictedIntervals } from './limits.ts';
import type { NotaryPorts } from './ports.ts';
import { LogContradicts, ReadAgain } from './refused.ts';
import { createStatusKeeper, type NotaryStatus } from './status.ts';

export type { EarlierNotary } from './earlier.ts';
export { parseNotaryKeys } from './keys.ts';
export { addNotaryMetrics } from './metrics.ts';
export type { NotaryPorts } from './ports.ts';
export { initialStatus, type NotaryStatus } from './status.ts';

/** Signs checkpoints of the log: at most one in each interval, if the log has grown, and one when it is closed. It reads the log only, never a
 * read side. */
export type Notary = {
  readonly status: () => NotaryStatus;
  /** Reads what the log has by now, within a time limit, signs a last checkpoint if the log has grown, and ends. Returns what a
   * later notary of the process needs to continue. */
  readonly close: () => Promise<EarlierNotary | undefined>;
};

/** Starts a notary. Whatever fails, it tries again after an interval.
 * @param changed called with each new status
 * @param earlier where to continue */
export const startNotary = (
  ports: NotaryPorts,
  changed: (status: NotaryStatus) => void = () => undefined,
  earlier?: EarlierNotary,
): Notary => {
  const closing = new AbortController();
  const status = createStatusKeeper(changed, earlier?.status);
  const alarm = createAlarm(status, ports.logger);

  let known = earlier;
  /** Runs until the log has to be read again. Returns after how many intervals. */
  const runOnce = async (): Promise<number> => {
    const continued = known;
    known = undefined;
    try {
      await runSession(ports, async (opened) => {
        known = await followLog({ ...ports, ...opened, status, alarm }, closing.signal, continued);
      });
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
      return known;
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
