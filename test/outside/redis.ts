import { urlOf } from '@waymark/test-engines/test-engines.ts';
import { Redis } from 'ioredis';
import { distinct, type Masked, type Masking } from './masked.ts';

/** Returns every key of Redis, with its type, its value, and whether it expires. */
export const keysOf = async (prefix: string, masking: Masking): Promise<readonly Masked[]> => {
  const redis = new Redis(urlOf('redis'));
  try {
    const keys = await redis.keys(`${prefix}*`);
    return distinct(await Promise.all(keys.map((key) => entryOf(redis, key, masking))));
  } finally {
    redis.disconnect();
  }
};

const entryOf = async (redis: Redis, name: string, masking: Masking): Promise<Masked> => {
  const [type, expiresInMs] = await Promise.all([redis.type(name), redis.pttl(name)]);
  const entry = { key: masking.text(name), type, expires: expiresInMs >= 0 };
  return type === 'string' ? { ...entry, value: masking.stored((await redis.get(name)) ?? '') } : entry;
};

/** Records all published messages. */
export const listen = async (masking: Masking) => {
  const redis = new Redis(urlOf('redis'));
  const heard: Masked[] = [];
  redis.on('pmessage', (_, channel: string, message: string) => {
    heard.push({ channel: masking.text(channel), message: masking.stored(message) });
  });
  await redis.psubscribe('*');
  return { heard: (): readonly Masked[] => distinct(heard), close: () => redis.disconnect() };
};
