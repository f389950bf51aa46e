import type { RecordedEvent } from '@waymark/domain/event.ts';
import { Counter } from 'prom-client';
import type { Context } from './run.ts';

/** Places that are kept, to be named. */
const placesMax = 100;

/** Raises the alarm where an event's content contradicts its type, its stream or its account: only somebody else than Waymark writes such an event. */
export const createContradictionAlarm = ({ registry, logger }: Pick<Context<object>, 'registry' | 'logger'>) => {
  const count = new Counter({
    name: 'waymark_contradictory_events_total',
    help: 'Events whose content contradicts their type, stream or account, read since the start; they count as erased.',
    registers: [registry],
  });
  const places = new Set<string>();
  return {
    found: ({ stream, revision, position }: RecordedEvent): void => {
      count.inc();
      if (places.size < placesMax) places.add(`${stream} revision ${revision}`);
      logger.error(
        { stream, revision, position },
        'an event contradicts its type, its stream or its account: it counts as one that was erased',
      );
    },
    /** Since the start. `verify` names all that the log has. */
    warnings: (): readonly string[] =>
      places.size === 0 ? [] : [`Events contradict their type, stream or account, and count as erased: ${[...places].join(', ')}.`],
  };
};
