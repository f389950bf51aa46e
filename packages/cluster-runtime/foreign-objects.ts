import { Counter } from 'prom-client';
import type { Context } from './run.ts';

/** The number of streams that are kept for the warning. */
const streamsMax = 100;

/** Creates the alarm for objects whose owner in the read models differs from the event log. */
export const createForeignObjectAlarm = ({ registry, logger }: Pick<Context<object>, 'registry' | 'logger'>) => {
  const count = new Counter({
    name: 'waymark_foreign_objects_total',
    help: 'Writes refused because the read side named another owner of the object than the event log.',
    registers: [registry],
  });
  const streams = new Set<string>();
  return {
    found: (stream: string, account: string): void => {
      count.inc();
      if (streams.size < streamsMax) streams.add(stream);
      logger.error(
        { stream, account },
        'the read models name an owner that differs from the event log: another program has changed them; rebuild the read models',
      );
    },
    /** The warnings since the start. */
    warnings: (): readonly string[] =>
      streams.size === 0
        ? []
        : [`The owner in the read models differs from the event log for: ${[...streams].join(', ')}. Run \`waymark rebuild\`.`],
  };
};
