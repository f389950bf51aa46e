import type { SqliteEventLogOptions } from '../sqlite/event-log.ts';

/** The options of a log that `recorder.ts` follows. */
export const recorder = (options: Record<string, unknown> = {}): Partial<SqliteEventLogOptions> => ({
  follower: { module: new URL('./recorder-follower.ts', import.meta.url).href, options },
});
