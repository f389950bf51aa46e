import { setTimeout as pause } from 'node:timers/promises';
import { BrokerUnavailable } from '@waymark/broker/broker.ts';
import { partitionOf, partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { LogUnavailable, type Position } from '@waymark/event-log/event-log.ts';

const pollMs = 250;
const withinMs = 10_000;

/** The copies of the log's events outside the log and the read models. */
export type Copies = {
  /** Deletes the copies of a partition, once they have reached a position.
   * @returns false if they have not
   * @throws BrokerUnavailable, LogUnavailable */
  readonly drop: (partition: number, through: Position) => Promise<boolean>;
};

/** Deletes the records of an account's partition once the relay has passed a position. So the relay sends none of the events that are
 * erased afterwards.
 * @returns false if the relay is behind, or if Kafka or the log is unavailable */
export const createCopyDropper =
  ({ copies, stopped }: { readonly copies: Copies; readonly stopped: AbortSignal }) =>
  async (account: string, through: Position): Promise<boolean> => {
    const untilMs = performance.now() + withinMs;
    while (!stopped.aborted) {
      const dropped = await copies.drop(partitionOf(account, partitionsOfCluster), through).catch(unlessAway);
      if (dropped) return true;
      if (performance.now() > untilMs) return false;
      await pause(pollMs);
    }
    return false;
  };

const unlessAway = (error: unknown): false => {
  if (error instanceof BrokerUnavailable || error instanceof LogUnavailable) return false;
  throw error;
};
