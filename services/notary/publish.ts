import { loggedCheckpointIn } from '@waymark/checkpoints/logged.ts';
import { type CheckpointPlace, CheckpointTaken } from '@waymark/checkpoints/place.ts';
import type { NotaryRecord } from '@waymark/checkpoints/record.ts';
import { checkpointsStream } from '@waymark/domain/streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { readEvents } from '@waymark/event-log/read-stream.ts';
import type { ChainedCheckpoint } from './chain.ts';
import { lost, reachable } from './places.ts';
import { anotherHasSigned, SigningRefused } from './refused.ts';

export type PublishPorts = { readonly log: Pick<EventLog, 'read' | 'lastRevisions'>; readonly record: NotaryRecord };

/** Publishes the checkpoints that a place does not have yet, up to the last one of the log, in order. Does nothing but read where it has all.
 * @throws SigningRefused where the place cannot be used, has lost checkpoints, or has others than the log; ReadAgain where another notary has signed
 * since */
export const publishMissing = async (place: CheckpointPlace, last: ChainedCheckpoint, { log, record }: PublishPorts): Promise<void> => {
  const { origin, number } = last.checkpoint;
  const published = record.published(place.name, origin);
  const latest = await reachable(() => place.latest(origin, published));
  const present = latest?.number ?? 0;
  if (present < published) throw new SigningRefused(lost(place.name, published));
  // Another notary may have published what this one has not read yet: it is in the log before.
  if (present > number && (await hasGrown(log, last))) throw anotherHasSigned();
  if (present > number || (present === number && latest?.note !== last.note))
    throw new SigningRefused(`${place.name} has a checkpoint ${present} that the log does not have.`);
  let next = present + 1;
  if (next <= number) {
    for await (const event of readEvents(log.read, checkpointsStream, last.revision - (number - next))) {
      const note = loggedCheckpointIn(event)?.note;
      if (next > number || note === undefined) break;
      await publish(place, origin, next, note);
      next += 1;
    }
  }
  if (number > published) record.keepPublished(place.name, origin, number);
};

const hasGrown = async (log: PublishPorts['log'], { revision }: ChainedCheckpoint): Promise<boolean> => {
  const [last] = await log.lastRevisions([checkpointsStream]);
  return typeof last === 'number' && last > revision;
};

const publish = (place: CheckpointPlace, origin: string, number: number, note: string): Promise<void> =>
  reachable(async () => {
    try {
      await place.publish(origin, number, note);
    } catch (error) {
      if (error instanceof CheckpointTaken) throw new SigningRefused(error.message, { cause: error });
      throw error;
    }
  });
