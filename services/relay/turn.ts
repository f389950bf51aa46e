import { setTimeout as pause } from 'node:timers/promises';
import type { Tail } from '@waymark/broker/broker.ts';
import type { Lease, Paces, RelayPorts } from './ports.ts';

/** Decides whether this relay is the active one: by the lease, or because the topic shows that no other relay is active. */
export type Turn = Lease & {
  /** Resolves when this relay becomes active, or the signal aborts. */
  readonly awaitTurn: (signal: AbortSignal) => Promise<void>;
};

type TurnContext = Pick<RelayPorts, 'lease' | 'records' | 'log' | 'logger'> & { readonly paces: Paces };

/** Creates the decision. The lease is a hint, and may be forged in Redis. A topic without new records has no active relay: then this relay
 * is active for a while, and checks again. Two active relays do no harm. */
export const createTurn = ({ lease, records, log, logger, paces }: TurnContext): Turn => {
  let activeUntilMs = Number.NEGATIVE_INFINITY;
  let silentMs = paces.silentMs;

  const takeOver = (): void => {
    logger.warn({ silentMs }, 'another relay holds the lease, and the topic has no new records: this relay is active without the lease');
    activeUntilMs = performance.now() + paces.takeoverMs;
    silentMs = paces.silentAgainMs;
  };

  return {
    holds: () => lease.holds() || performance.now() < activeUntilMs,
    awaitTurn: async (signal) => {
      const tail = watchTail({ records, log });
      for (let lookAtMs = 0; !signal.aborted && !lease.holds(); ) {
        if (performance.now() >= lookAtMs) {
          lookAtMs = performance.now() + paces.tailEveryMs;
          tail.check();
        }
        if (tail.hasNewRecords()) silentMs = paces.silentMs;
        if (tail.silentMs() >= silentMs) return takeOver();
        await pause(paces.standbyMs, undefined, { signal }).catch(() => undefined);
      }
    },
  };
};

/** Reads the end of the topic without delaying the caller. */
const watchTail = ({ records, log }: Pick<TurnContext, 'records' | 'log'>) => {
  let tail: Tail | undefined;
  let isLooking = false;
  let hasNewRecords = false;
  let silentFromMs = 0;
  let silentUntilMs = 0;

  const check = async (): Promise<void> => {
    const askedMs = performance.now();
    try {
      const { installation } = await log.state();
      const since = tail;
      tail = await records.tail(installation, since);
      hasNewRecords ||= tail.isNew;
      if (since === undefined || tail.isNew) silentFromMs = askedMs;
      silentUntilMs = askedMs;
    } catch {
      // It is unknown whether another relay is active, and this one could not relay either.
      tail = undefined;
      silentUntilMs = silentFromMs;
    }
  };
  return {
    check: (): void => {
      if (isLooking) return;
      isLooking = true;
      void check().finally(() => {
        isLooking = false;
      });
    },
    /** Returns whether another relay has sent records. */
    hasNewRecords: () => hasNewRecords,
    /** Returns how long the topic is known to have had no new records. */
    silentMs: () => silentUntilMs - silentFromMs,
  };
};
