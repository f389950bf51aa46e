import { Counter } from 'prom-client';
import type { Context } from './run.ts';

/** Streams that are kept, to be named. */
const streamsMax = 100;

/** Raises the alarm where the read side names another owner of an object than the event log. */
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
        'the read side names an owner that the event log does not know: somebody has changed it; rebuild it',
      );
    },
    /** Since the start. */
    warnings: (): readonly string[] =>
      streams.size === 0
        ? []
        : [`The read side names another owner than the event log of: ${[...streams].join(', ')}. Run \`waymark rebuild\`.`],
  };
};
