import { setTimeout as pause } from 'node:timers/promises';
import type { Cleaned } from '@waymark/read-models/sqlite/read-models.ts';
import type { ProjectorMessage } from './projector-thread.ts';
import { type RebuildOptions, rebuild } from './rebuild.ts';

/** How long to wait for readers that block the emptying of the write-ahead log, and the pause between tries, in milliseconds. */
const withinMs = 10_000;
const pauseMs = 50;

/** Makes the read models keep nothing of the content that was erased up to a position. A file that an earlier release has written is rebuilt:
 * its free pages may hold that content.
 * @returns false if it is not so in time */
export const cleanReadSide = async (options: RebuildOptions, through: number): Promise<boolean> => {
  const { log } = options;
  const untilMs = performance.now() + withinMs;
  for (;;) {
    const cleaned = (await log.askFollower({ kind: 'clean' } satisfies ProjectorMessage)) as Cleaned;
    if (cleaned === 'unclean') await rebuild(options);
    else if (cleaned === 'clean' && log.followed() >= through) return true;
    else if (performance.now() > untilMs) return false;
    else await pause(pauseMs);
  }
};
