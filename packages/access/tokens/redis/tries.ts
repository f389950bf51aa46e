import { setTimeout as pause } from 'node:timers/promises';
import { redisTriesMax, redisTryPauseMs } from '../limits.ts';

/** A command of Redis. Returns undefined if there is no answer. */
type Command<Answer> = () => Promise<Answer | undefined>;

export type Tries = {
  /** Sends a command. Returns undefined if there is no answer. */
  readonly once: <Answer>(command: Command<Answer>) => Promise<Answer | undefined>;
  /** Sends a command again until there is an answer. Returns undefined if Redis is unreachable. */
  readonly repeated: <Answer>(command: Command<Answer>) => Promise<Answer | undefined>;
};

/** Distinguishes a Redis that is unreachable from one whose answer was lost. A process that was paused, or that is overloaded, loses answers
 * to its own time limits, and with them its connection. Redis counts as unreachable after `redisTriesMax` commands in a row without an
 * answer. Until the next answer, no command is then repeated. Tries are counted, not time: a pause of the process is one try. */
export const createTries = (): Tries => {
  let isUnreachable = false;
  const once = async <Answer>(command: Command<Answer>): Promise<Answer | undefined> => {
    const answer = await command();
    if (answer !== undefined) isUnreachable = false;
    return answer;
  };
  return {
    once,
    repeated: async (command) => {
      let answer = await once(command);
      for (let tries = 1; answer === undefined && !isUnreachable && tries < redisTriesMax; tries += 1) {
        await pause(redisTryPauseMs);
        answer = await once(command);
      }
      isUnreachable = answer === undefined;
      return answer;
    },
  };
};
