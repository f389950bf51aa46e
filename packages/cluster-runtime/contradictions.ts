import type { RecordedEvent } from '@waymark/domain/event.ts';
import { Counter } from 'prom-client';
import type { Context } from './run.ts';

/** The number of places that are kept for the warning. */
const placesMax = 100;

/** Creates the alarm for events whose content contradicts their type, stream or account. Waymark never writes such an event: another
 * program did. */
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
      logger.error({ stream, revision, position }, 'an event contradicts its type, its stream or its account: it counts as erased');
    },
    /** The warnings since the start. `verify` lists all such events of the log. */
    warnings: (): readonly string[] =>
      places.size === 0 ? [] : [`Events contradict their type, stream or account, and count as erased: ${[...places].join(', ')}.`],
  };
};
