import { setTimeout as pause } from 'node:timers/promises';
import { BrokerUnavailable } from '@waymark/broker/broker.ts';
import { partitionOf, partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { LogUnavailable, type Position } from '@waymark/event-log/event-log.ts';

const lookMs = 250;
const withinMs = 10_000;

/** Copies of the log's events outside the log and the read side. */
export type Copies = {
  /** Deletes those of a partition, once they have come to a position. @returns false where they have not @throws BrokerUnavailable, LogUnavailable */
  readonly drop: (partition: number, through: Position) => Promise<boolean>;
};

/** Deletes the records of an account's partition, once the relay has passed a position: so it sends no more of what is erased afterwards.
 * @returns false where it is behind, or Kafka is away */
export const droppingCopies =
  ({ copies, stopped }: { readonly copies: Copies; readonly stopped: AbortSignal }) =>
  async (account: string, through: Position): Promise<boolean> => {
    const untilMs = performance.now() + withinMs;
    while (!stopped.aborted) {
      const dropped = await copies.drop(partitionOf(account, partitionsOfCluster), through).catch(unlessAway);
      if (dropped) return true;
      if (performance.now() > untilMs) return false;
      await pause(lookMs);
    }
    return false;
  };

const unlessAway = (error: unknown): false => {
  if (error instanceof BrokerUnavailable || error instanceof LogUnavailable) return false;
  throw error;
};
