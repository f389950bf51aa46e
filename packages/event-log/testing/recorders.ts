import type { SqliteEventLogOptions } from '../sqlite/event-log.ts';

/** Returns the options of a log whose follower is `recorder-follower.ts`. */
export const recorder = (options: Record<string, unknown> = {}): Partial<SqliteEventLogOptions> => ({
  follower: { module: new URL('./recorder-follower.ts', import.meta.url).href, options },
});
