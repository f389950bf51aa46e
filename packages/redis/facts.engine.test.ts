import { factsStoreContract } from '@waymark/event-log/contract/facts-store.ts';
import { sealedCharactersMax } from '@waymark/event-log/facts/store.ts';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { createRedisFacts } from './facts.ts';
import { testConnections } from './testing/connections.ts';

const { direct, opened, closing } = testConnections();

const open = async () => {
  const [redis, key] = [await direct(), ownName('facts')];
  // The key is deleted before the connection is closed, because the last one opened is closed first.
  closing({ close: () => redis.del(key) });
  return {
    ...createRedisFacts(redis, key, sealedCharactersMax),
    forge: async (text: string) => void (await redis.set(key, Buffer.from(text, 'latin1'))),
    damage: async () => void (await redis.rpush(key, 'a list')),
  };
};

describeOn(['redis'], 'facts of a log in Redis', () => {
  factsStoreContract(open);

  it('do not expire', async () => {
    const [redis, key] = [await direct(), ownName('facts')];
    await createRedisFacts(redis, key, sealedCharactersMax).replace(undefined, 'facts');
    expect(await redis.pttl(key)).toBe(-1);
    await redis.del(key);
  });
});

describe('facts of a log in a Redis that is unavailable', () => {
  it('can be neither read nor written', async () => {
    const facts = createRedisFacts(opened({ url: 'redis://127.0.0.1:1' }), 'key', sealedCharactersMax);
    await expect(facts.read()).rejects.toThrow();
    await expect(facts.replace(undefined, 'facts')).rejects.toThrow();
  });
});
