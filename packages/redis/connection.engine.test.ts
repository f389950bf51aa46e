import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { pauseProcess } from '@waymark/timing/testing/pause-process.ts';
import type { Redis } from 'ioredis';
import { openRedis } from './connection.ts';
import { commandTimeoutMs, logUnavailableAfterMs, silenceMs } from './limits.ts';
import { ready, testConnections, until } from './testing/connections.ts';

const { opened, direct, byPassage, closing } = testConnections();

/** Opens a passage to the TLS port of Redis that sends an alert behind the first bytes of each connection, in the same packet.
 * @param lost the number of connections, the first ones, that it ends at once instead */
const alertingPassage = async (lost = 0) => {
  const alert = Buffer.from('15030300020232', 'hex');
  const { hostname, port } = new URL(urlOf('redisTls'));
  let taken = 0;
  const server = createServer((client) => {
    taken += 1;
    if (taken <= lost) {
      client.resetAndDestroy();
      return;
    }
    const engine = connect(Number(port), hostname);
    for (const [socket, other] of [
      [client, engine],
      [engine, client],
    ] as const)
      socket.on('error', () => other.destroy()).on('close', () => other.destroy());
    client.on('data', (data) => engine.write(data));
    engine.on('data', (data) => client.write(Buffer.concat([data, alert])));
  });
  closing({ close: () => server.close() });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `rediss://127.0.0.1:${(server.address() as AddressInfo).port}`, taken: () => taken };
};

/** Returns the outcome of a command. A generous bound detects a command that never settles. */
const outcome = async (command: Promise<unknown>): Promise<string> => {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('never settled'), 30 * commandTimeoutMs);
  });
  const settled = command.then(
    () => 'done',
    () => 'refused',
  );
  const first = await Promise.race([settled, bound]);
  clearTimeout(timer);
  return first;
};

/** Returns how many commands the library keeps: those that wait for a connection, and those that wait for an answer. */
const kept = (redis: Redis): number =>
  ['offlineQueue', 'commandQueue'].reduce((sum, queue) => sum + Number(Reflect.get(Reflect.get(redis, queue), 'length')), 0);

const logger = () => {
  const lines: string[] = [];
  const say = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  return { lines, info: say, warn: say };
};

/** Expects that connections are refused for the server's certificate, and say so. On a busy machine, some may say that they were too slow. */
const expectDistrust = (at: () => Promise<string>): Promise<void> =>
  until(async () => {
    const said = logger();
    const redis = opened({ url: await at(), logger: said });
    await until(() => said.lines.length > 0);
    expect(redis.status).not.toBe('ready');
    redis.disconnect();
    return /SELF_SIGNED|UNABLE_TO_VERIFY/.test(said.lines.join());
  });

describe('the URL of Redis', () => {
  it.each([
    '',
    'redis',
    'http://127.0.0.1:1',
    'redis://127.0.0.1:1?family=6',
    'redis://127.0.0.1:1/one',
    'redis:///1',
    'redis://u:%zz-hidden@127.0.0.1:1',
    'redis://u:hidden@127.0.0.1:port',
  ])('is refused without quoting it: %s', (url) => {
    expect(() => openRedis({ url })).toThrow(/^(The URL of Redis is not|User or password)/);
    expect(() => openRedis({ url })).not.toThrow('hidden');
  });

  it('contains host, port, database, user and password, escaped or not', () => {
    const { options } = opened({ url: 'redis://way%40mark:se%2Fcret@127.0.0.1:1/7' });
    expect(options).toMatchObject({ host: '127.0.0.1', port: 1, db: 7, username: 'way@mark', password: 'se/cret' });
    expect(options.tls).toBeUndefined();
  });

  it('selects TLS, with the trusted authorities and the name that the certificate must have', () => {
    const { options } = opened({ url: 'rediss://localhost:1', ca: 'PEM' });
    expect(options).toMatchObject({ tls: { ca: 'PEM', servername: 'localhost' } });
    expect(opened({ url: 'rediss://127.0.0.1:1' }).options.tls).toEqual({});
    expect(opened({ url: 'redis://[::1]:1' }).options).toMatchObject({ host: '::1' });
  });
});

describe('a connection to a Redis that does not exist', () => {
  it('rejects every command at once, keeps none, and logs it once', async () => {
    const said = logger();
    const redis = opened({ url: 'redis://waymark:hidden@127.0.0.1:1', logger: said });
    const commands = Array.from({ length: 1_000 }, (_, index) => outcome(redis.set(`key-${index}`, 'x')));
    expect(new Set(await Promise.all(commands))).toEqual(new Set(['refused']));
    expect(kept(redis)).toBe(0);
    await until(() => said.lines.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(said.lines).toEqual([expect.stringContaining('"reason":"ECONNREFUSED"')]);
    expect(said.lines.join()).not.toContain('hidden');
  });
});

describeOn(['redis'], 'a connection to Redis', () => {
  it('runs commands, even while it is subscribed to a channel', async () => {
    const redis = await direct();
    const [key, channel] = [ownName('key'), ownName('channel')];
    const heard: string[] = [];
    redis.on('message', (_, message: string) => heard.push(message));
    await redis.subscribe(channel);
    await redis.set(key, 'value', 'PX', 10_000);
    expect(await redis.get(key)).toBe('value');
    await redis.publish(channel, 'news');
    await until(() => heard.length > 0);
    expect(heard).toEqual(['news']);
    await redis.del(key);
  });

  it('returns an answer that arrived while the process was paused for longer than the time limit', async () => {
    const redis = await direct();
    // Redis answers after a tenth of a second, while the process is paused.
    const answer = redis.blpop(ownName('list'), 0.1);
    await pauseProcess(3 * commandTimeoutMs);
    expect(await answer).toBeNull();
  });

  it('rejects commands while Redis is down, works again once it is available, and logs each once', async () => {
    const said = logger();
    const { redis, passage } = await byPassage({ logger: said });
    await passage.cut();
    await until(() => redis.status !== 'ready');
    expect(await outcome(redis.get('key'))).toBe('refused');
    await until(() => said.lines.length === 1);
    await passage.heal();
    await ready(redis);
    expect(await outcome(redis.get('key'))).toBe('done');
    expect(said.lines).toEqual([expect.stringMatching(/^Redis is unavailable/), expect.stringMatching(/^Redis is available again/)]);
  });

  it('logs nothing about a short outage', async () => {
    const said = logger();
    const { redis, passage } = await byPassage({ logger: said });
    await passage.cut();
    await until(() => redis.status !== 'ready');
    await passage.heal();
    await ready(redis);
    await new Promise((resolve) => setTimeout(resolve, 2 * logUnavailableAfterMs));
    expect(said.lines).toEqual([]);
  });

  it('rejects commands while Redis hangs, keeps a bounded number of them, and works again afterwards', async () => {
    const { redis, passage } = await byPassage();
    passage.freeze();
    expect(await outcome(redis.get('key'))).toBe('refused');
    // The library gives up the connection: from then on it keeps no commands, however long the outage lasts.
    await until(() => redis.status !== 'ready', 20 * silenceMs);
    for (let time = 0; time < 10; time += 1) {
      const commands = Array.from({ length: 100 }, () => outcome(redis.get('key')));
      expect(new Set(await Promise.all(commands))).toEqual(new Set(['refused']));
      // A handshake may be in progress.
      expect(kept(redis)).toBeLessThan(10);
    }
    await passage.heal();
    await ready(redis);
    expect(await outcome(redis.get('key'))).toBe('done');
  });

  it('never repeats a command that was run and not acknowledged', async () => {
    const { redis, passage } = await byPassage();
    const others = await direct();
    const key = ownName('counter');
    passage.loseAnswers();
    expect(await outcome(redis.incr(key))).toBe('refused');
    await passage.heal();
    await ready(redis);
    expect(await outcome(redis.get(key))).toBe('done');
    expect(await others.get(key)).toBe('1');
    await others.del(key);
  });

  it('also settles a transaction whose answer was lost', async () => {
    const { redis, passage } = await byPassage();
    const key = ownName('counter');
    passage.loseAnswers();
    expect(await outcome(redis.multi().incr(key).pttl(key).exec())).toBe('refused');
    await passage.heal();
    await ready(redis);
    const others = await direct();
    expect(await others.get(key)).toBe('1');
    await others.del(key);
  });

  it('does not log a wrong password', async () => {
    const said = logger();
    const url = new URL(urlOf('redis'));
    url.username = 'nobody';
    url.password = 'hidden';
    opened({ url: url.href, logger: said });
    await until(() => said.lines.length > 0);
    expect(said.lines.join()).toContain('WRONGPASS');
    expect(said.lines.join()).not.toContain('hidden');
  });
});

describeOn(['redisTls', 'tls'], 'a connection to Redis over TLS', () => {
  it('is made with user, password and CA certificate, and fails without the certificate', async () => {
    const ca = readFileSync(urlOf('tls'), 'utf8');
    const redis = opened({ url: urlOf('redisTls'), ca });
    // A busy server may end a connection that it has just accepted; the client then reconnects.
    await until(async () => (await redis.get(ownName('key')).catch(() => 'away')) === null);
    await expectDistrust(async () => urlOf('redisTls'));
  });

  it('survives a second error of the same connection', async () => {
    const { url, taken } = await alertingPassage();
    // Each connection is refused for its certificate, then receives an alert that does not belong there.
    opened({ url });
    await until(() => taken() >= 3);
    await expectDistrust(async () => url);
  });

  it('says why it failed last', async () => {
    await expectDistrust(async () => (await alertingPassage(1)).url);
  });
});
