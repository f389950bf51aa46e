import type { Redis } from 'ioredis';

/** Writes the text where the key has the one that is expected, up to the length that is read: an empty one where it has none, or no text. */
const replace = `
  local isText = redis.call('type', KEYS[1]).ok == 'string'
  if (isText and redis.call('getrange', KEYS[1], 0, ARGV[3]) or '') ~= ARGV[1] then return 0 end
  redis.call('set', KEYS[1], ARGV[2])
  return 1`;

/** Known facts of a log, one text under a key that does not expire. Rejects where Redis is unavailable.
 * @param charactersMax longer ones are none: of those one character more is read */
export const createRedisFacts = (redis: Redis, key: string, charactersMax: number) => ({
  read: async (): Promise<string | undefined> => {
    // Whatever bytes somebody has left there, they are compared as they are.
    const bytes = await redis.getrangeBuffer(key, 0, charactersMax);
    return bytes.length === 0 ? undefined : bytes.toString('latin1');
  },
  replace: async (before: string | undefined, text: string): Promise<boolean> =>
    (await redis.eval(replace, 1, key, Buffer.from(before ?? '', 'latin1'), text, charactersMax)) === 1,
});
