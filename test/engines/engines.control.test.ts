import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { Redis } from 'ioredis';

const answerWithinMs = 1_000;
const pollEveryMs = 100;
const upWithinMs = 60_000;

/** Checks, for one engine, what tests that stop engines rely on: the verbs of `WAYMARK_ENGINES_CONTROL` work, whichever command provides
 * them. */
describeOn(['redis', 'control'], 'The command for engines', () => {
  const control = async (verb: string): Promise<string> => (await promisify(execFile)(urlOf('control'), [verb, 'redis'])).stdout.trim();
  const up = (): Promise<string> => control('start');
  afterEach(up, upWithinMs);

  /** Returns the response of the engine to one query over a new connection, or `no answer` if it fails. */
  const ask = async (question: (redis: Redis) => Promise<string | null>): Promise<string | null> => {
    const redis = new Redis(urlOf('redis'), { lazyConnect: true, retryStrategy: () => null, commandTimeout: answerWithinMs });
    redis.on('error', () => undefined);
    try {
      return await question(redis);
    } catch {
      return 'no answer';
    } finally {
      redis.disconnect();
    }
  };
  const ping = (): Promise<string | null> => ask((redis) => redis.ping());
  /** Repeats a query until the engine answers it. It accepts connections before it has read its data, and returns an error until then. */
  const answered = async (question: (redis: Redis) => Promise<string | null>): Promise<string | null> => {
    for (;;) {
      const answer = await ask(question);
      if (answer !== 'no answer') return answer;
      await new Promise((resolve) => setTimeout(resolve, pollEveryMs));
    }
  };

  it.each(['kill', 'stop'])(
    '%s: it stops, and has its data after a restart',
    async (verb) => {
      const key = ownName('kept');
      expect(await ask((redis) => redis.set(key, 'here', 'EX', 60))).toBe('OK');
      // The engine writes to disk once a second.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await control(verb);
      expect(await ping()).toBe('no answer');
      await up();
      expect(await answered((redis) => redis.get(key))).toBe('here');
    },
    upWithinMs,
  );

  it(
    'pause: it does not answer until it is resumed',
    async () => {
      await control('pause');
      expect(await ping()).toBe('no answer');
      await control('resume');
      expect(await answered((redis) => redis.ping())).toBe('PONG');
    },
    upWithinMs,
  );

  it(
    'a paused engine can be killed',
    async () => {
      await control('pause');
      await control('kill');
      await up();
      expect(await answered((redis) => redis.ping())).toBe('PONG');
    },
    upWithinMs,
  );

  it(
    'wipe: it stops, and has no data after a restart',
    async () => {
      const key = ownName('lost');
      expect(await ask((redis) => redis.set(key, 'here', 'EX', 60))).toBe('OK');
      await control('wipe');
      expect(await ping()).toBe('no answer');
      await up();
      expect(await ask((redis) => redis.get(key))).toBeNull();
    },
    upWithinMs,
  );

  it('pid: returns its process id', async () => {
    expect(Number(await control('pid'))).toBeGreaterThan(1);
  });
});
