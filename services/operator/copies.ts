import { setTimeout as pause } from 'node:timers/promises';
import { partitionOf, partitionsOfCluster } from '@waymark/domain/partitions.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { KafkaRecords } from '@waymark/event-log/kafka.ts';
import { RecordsUnavailable } from '@waymark/event-log/records.ts';

const lookMs = 250;
const withinMs = 10_000;

/** Deletes the records of an account's partition, once the relay has passed a position: so it sends no more of what is erased afterwards.
 * @returns false where it is behind, or Kafka is away */
export const droppingCopies =
  ({ copies, stopped }: { readonly copies: Pick<KafkaRecords, 'drop'>; readonly stopped: AbortSignal }) =>
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
  if (error instanceof RecordsUnavailable) return false;
  throw error;
};
