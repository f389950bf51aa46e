import { setTimeout as pause } from 'node:timers/promises';
import { BrokerUnavailable } from '@waymark/broker/broker.ts';
import { partitionOf, partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { Unavailable } from '@waymark/domain/unavailable.ts';
import type { Position } from '@waymark/event-log/event-log.ts';

const pollMs = 250;
const relayWithinMs = 10_000;
/** How long `forget` waits until erased content is gone from the history. */
const historyWithinMs = 60_000;

/** The copies of the log's events outside the log and the read models. */
export type Copies = {
  /** Deletes the copies of a partition, once they have reached a position.
   * @returns false if they have not
   * @throws BrokerUnavailable, LogUnavailable */
  readonly drop: (partition: number, through: Position) => Promise<boolean>;
};

export type CopyDropperOptions = {
  readonly copies: Copies;
  readonly history: {
    /** Returns whether the history has everything up to a position of a partition, and nothing of what was erased by then.
     * @throws HistoryUnavailable */
    readonly isCleaned: (partition: number, through: Position) => Promise<boolean>;
  };
  readonly stopped: AbortSignal;
};

/** Deletes the records of an account's partition once the relay has passed a position, so that the relay sends none of the events that are
 * erased afterwards. Then waits until the history has nothing of what was erased.
 * @returns false if the relay or the history is behind, or if Kafka, the log or MongoDB is unavailable */
export const createCopyDropper =
  ({ copies, history, stopped }: CopyDropperOptions) =>
  async (account: string, through: Position): Promise<boolean> => {
    const partition = partitionOf(account, partitionsOfCluster);
    return (
      (await succeeds(() => copies.drop(partition, through), relayWithinMs, stopped)) &&
      (await succeeds(() => history.isCleaned(partition, through), historyWithinMs, stopped))
    );
  };

/** Repeats an attempt until it succeeds. Returns false if it does not in time. */
const succeeds = async (attempt: () => Promise<boolean>, withinMs: number, stopped: AbortSignal): Promise<boolean> => {
  const untilMs = performance.now() + withinMs;
  while (!stopped.aborted) {
    if (await attempt().catch(unlessAway)) return true;
    if (performance.now() > untilMs) return false;
    await pause(pollMs);
  }
  return false;
};

const unlessAway = (error: unknown): false => {
  if (error instanceof BrokerUnavailable || error instanceof Unavailable) return false;
  throw error;
};
