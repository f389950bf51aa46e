import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { FollowedLog } from '@waymark/event-log/follower.ts';
import type { ScanRange } from '@waymark/event-log/scan.ts';
import type { ReadModels } from '@waymark/read-models/read-models.ts';

/** The only partition of the read models of a standalone server. */
export const partition = 0;

/** Events that are read and applied at once. */
const batchEvents = 5_000;

type Models = Pick<ReadModels, 'apply'>;

/** Applies the events of a range of the log, in batches.
 * @returns the number of events */
export const applyRange = async (
  models: Models,
  readAfter: FollowedLog['readAfter'],
  incarnation: string,
  { after, through }: ScanRange,
): Promise<number> => {
  let position = after;
  let events = 0;
  for (const batch of batches(readAfter, { after, through }, batchEvents)) {
    await applyEvents(models, incarnation, position, batch.events);
    events += batch.events.length;
    position = batch.last.position;
  }
  return events;
};

/** Reads the events of a range of the log, in batches with at least one and at most `limit` events. */
export function* batches(
  readAfter: FollowedLog['readAfter'],
  { after, through }: ScanRange,
  limit: number,
): Generator<{ readonly events: readonly RecordedEvent[]; readonly last: RecordedEvent }> {
  for (let position = after; ; ) {
    const events = readAfter(position, limit).filter((event) => event.position <= through);
    const last = events.at(-1);
    if (last === undefined) return;
    yield { events, last };
    position = last.position;
  }
}

/** Applies the events that follow a position of the read models. */
export const applyEvents = async (
  models: Models,
  incarnation: string,
  after: Position,
  events: readonly RecordedEvent[],
): Promise<void> => {
  const last = events.at(-1);
  if (last === undefined) return;
  const to = { incarnation, position: last.position, event: last.envelope.id };
  if (!(await models.apply(partition, after, events, to))) throw new Error('Another process has changed the position of the read models.');
};
