import type { Redis } from 'ioredis';

/** Writes the text if the key has the expected one, compared up to the length that is read. The expected text is empty where the key has
 * none, or has no string. */
const replace = `
  local isText = redis.call('type', KEYS[1]).ok == 'string'
  if (isText and redis.call('getrange', KEYS[1], 0, ARGV[3]) or '') ~= ARGV[1] then return 0 end
  redis.call('set', KEYS[1], ARGV[2])
  return 1`;

/** Keeps the known facts of a log: one text under a key that does not expire. Its functions reject where Redis is unavailable.
 * @param charactersMax longer texts are invalid; one character more is read of them */
export const createRedisFacts = (redis: Redis, key: string, charactersMax: number) => ({
  read: async (): Promise<string | undefined> => {
    // The bytes are compared as they are, whatever another client has left there.
    const bytes = await redis.getrangeBuffer(key, 0, charactersMax);
    return bytes.length === 0 ? undefined : bytes.toString('latin1');
  },
  replace: async (before: string | undefined, text: string): Promise<boolean> =>
    (await redis.eval(replace, 1, key, Buffer.from(before ?? '', 'latin1'), text, charactersMax)) === 1,
});
