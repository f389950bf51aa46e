import type { RecordedEvent } from '@waymark/domain/event.ts';
import fc from 'fast-check';
import { histories } from './histories.ts';

/** Generates logs that have the streams of a history in another order. The events of a stream stay in order, but an event may refer to a
 * pinpoint that is created later. */
export const interleavings = (steps: {
  minLength?: number;
  maxLength: number;
}): fc.Arbitrary<{ readonly events: readonly RecordedEvent[] }> =>
  fc
    .tuple(histories(steps), fc.array(fc.nat({ max: 1_000_000 }), { minLength: 1, maxLength: 20 }))
    .map(([{ events }, picks]) => ({ events: interleaved(events, picks) }));

const interleaved = (events: readonly RecordedEvent[], picks: readonly number[]): readonly RecordedEvent[] => {
  const streams = [...Map.groupBy(events, ({ stream }) => stream).values()];
  return events.map((_, turn) => {
    const open = streams.filter((left) => left.length > 0);
    const next = open[(picks[turn % picks.length] ?? 0) % open.length]?.shift();
    if (!next) throw new Error('There is no event for this turn.');
    const position = turn * 2 + 1;
    return { ...next, position, envelope: { ...next.envelope, id: `event-${position}` } };
  });
};
