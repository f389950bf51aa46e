import type { RecordedEvent } from '@waymark/domain/event.ts';

/** Removes the events of a stream before a revision.
 * @throws LogUnavailable */
export type Truncate = (stream: string, before: number) => Promise<void>;

const truncationsAtOnce = 16;

/** Removes these events and all that precede them in their streams. */
export const truncateEach = async (truncate: Truncate, events: readonly RecordedEvent[]): Promise<void> => {
  // Only the last expired event of each stream: two concurrent truncations of a stream would conflict.
  const ends = [...new Map(events.map(({ stream, revision }) => [stream, revision + 1]))];
  for (let from = 0; from < ends.length; from += truncationsAtOnce) {
    await Promise.all(ends.slice(from, from + truncationsAtOnce).map(([stream, before]) => truncate(stream, before)));
  }
};
