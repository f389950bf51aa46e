import { createFaultProxy, type FaultProxy } from '@waymark/test-engines/fault-proxy.ts';
import { type Engine, urlOf } from '@waymark/test-engines/test-engines.ts';
import type { Redis } from 'ioredis';
import { openRedis, type RedisConnectionOptions } from '../connection.ts';
import { disconnectMs } from '../limits.ts';

/** Polls until a condition holds. The bound is generous: only a condition that never holds reaches it. */
export const until = async (holds: () => unknown, boundMs = 20_000): Promise<void> => {
  const untilMs = performance.now() + boundMs;
  while (!(await holds())) {
    if (performance.now() > untilMs) throw new Error(`Did not hold within ${boundMs} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

export const ready = (redis: Redis): Promise<void> => until(() => redis.status === 'ready');

/** Opens connections for the tests of one file, closed after each test. */
export const testConnections = () => {
  const toClose: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of toClose.splice(0).reverse()) await close();
  });
  // Where a connection was lost before it was closed, the library's own timer runs on for that long, and would outlive the tests.
  afterAll(() => new Promise((resolve) => setTimeout(resolve, disconnectMs + 50)));

  const open = async (options: RedisConnectionOptions): Promise<Redis> => {
    const redis = opened(options);
    await ready(redis);
    return redis;
  };

  const opened = (options: RedisConnectionOptions): Redis => {
    const redis = openRedis(options);
    toClose.push(() => redis.disconnect());
    return redis;
  };

  return {
    /** Opens a connection without waiting for it. */
    opened,
    /** Opens a connection to the engine itself. */
    direct: (): Promise<Redis> => open({ url: urlOf('redis') }),
    /** Opens a connection through a fault proxy, which can cut it. */
    byPassage: async (
      options: Omit<RedisConnectionOptions, 'url'> = {},
      engine: Engine = 'redis',
    ): Promise<{ redis: Redis; passage: FaultProxy; url: string }> => {
      const { hostname, port } = new URL(urlOf(engine));
      const passage = await createFaultProxy({ host: hostname, port: Number(port || 6_379) });
      toClose.push(passage.close);
      const url = new URL(urlOf(engine));
      url.host = `127.0.0.1:${passage.port}`;
      return { redis: await open({ ...options, url: url.href }), passage, url: url.href };
    },
    /** Adds something else to close after the test. */
    closing: <It extends { readonly close: () => unknown }>(it: It): It => {
      toClose.push(it.close);
      return it;
    },
  };
};
