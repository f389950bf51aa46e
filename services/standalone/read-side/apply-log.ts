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
  for (;;) {
    const batch = readAfter(position, batchEvents).filter((event) => event.position <= through);
    const last = batch.at(-1);
    if (last === undefined) return events;
    await applyEvents(models, incarnation, position, batch);
    events += batch.length;
    position = last.position;
  }
};

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
