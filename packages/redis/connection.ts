import { isIP } from 'node:net';
import { pauseMs } from '@waymark/timing/back-off.ts';
import { startCountdown } from '@waymark/timing/deadline.ts';
import { Redis, type RedisOptions } from 'ioredis';
import {
  commandTimeoutMs,
  connectTimeoutMs,
  disconnectMs,
  loadingRetryMs,
  logUnavailableAfterMs,
  reconnectPauses,
  silenceMs,
} from './limits.ts';

/** The logger of a connection. A logger of pino fits. */
export type ConnectionLogger = {
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
};

export type RedisConnectionOptions = {
  /** The URL: `redis://` or `rediss://`, then `[user:password@]host[:port][/database]`. */
  readonly url: string;
  /** The certificates (PEM) of the authorities that `rediss://` trusts. They replace the public ones. */
  readonly ca?: string | undefined;
  readonly logger?: ConnectionLogger | undefined;
};

/** Opens a connection that never blocks a caller for long and never grows. Every command settles within `commandTimeoutMs`, at once while
 * Redis is unavailable, and none is sent twice. The connection opens and reopens by itself until it is closed.
 * @throws Error where the URL is invalid, without quoting it */
export const openRedis = ({ url, ca, logger }: RedisConnectionOptions): Redis => {
  const redis = new Redis({ ...parseUrl(url, ca), ...connectionOptions });
  limitCommands(redis);
  if (logger) logAvailability(redis, logger);
  // Without a listener, the library prints errors itself, with all that they contain. It listens for the first error of a stream only. TLS can
  // emit another one, such as an alert of a server whose certificate was refused: without a listener, that would end the process.
  redis.on('error', () => redis.stream?.on('error', () => undefined));
  return redis;
};

const connectionOptions = {
  maxRetriesPerRequest: 1,
  enableOfflineQueue: false,
  // A command whose answer was lost is not sent again: it may have been run, and would be run twice. Its time limit notifies the caller.
  autoResendUnfulfilledCommands: false,
  // The time limit alone would leave commands that are never answered in the library's queue.
  socketTimeout: silenceMs,
  connectTimeout: connectTimeoutMs,
  disconnectTimeout: disconnectMs,
  maxLoadingRetryTime: loadingRetryMs,
  retryStrategy: (times: number) => pauseMs(reconnectPauses, times - 1),
} satisfies RedisOptions;

/** Limits the time of every command. The library's own limit (`commandTimeout`) also rejects a command whose answer arrived in time, but while
 * the process was paused. */
const limitCommands = (redis: Redis): void => {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    const countdown = startCountdown(commandTimeoutMs, () => command.reject(new Error('Redis did not answer in time.')));
    command.promise.then(countdown.stop, countdown.stop);
    return send(command, stream);
  };
};

const parseUrl = (url: string, ca: string | undefined) => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const database = /^\/?(\d{0,5})$/.exec(parsed?.pathname ?? '')?.[1];
  if (
    !parsed ||
    !/^rediss?:$/.test(parsed.protocol) ||
    parsed.hostname === '' ||
    database === undefined ||
    parsed.search + parsed.hash !== ''
  ) {
    throw new Error('The URL of Redis is not redis[s]://[user:password@]host[:port][/database].');
  }
  const host = parsed.hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    port: Number(parsed.port || 6_379),
    db: Number(database),
    ...(parsed.username && { username: unescaped(parsed.username) }),
    ...(parsed.password && { password: unescaped(parsed.password) }),
    ...(parsed.protocol === 'rediss:' && { tls: { ...(ca && { ca }), ...(isIP(host) === 0 && { servername: host }) } }),
  };
};

const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('User or password in the URL of Redis are not percent-encoded.');
  }
};

/** Logs once that Redis is unavailable, and once that it is available again. A short outage is not logged: a process that starts is often
 * too busy to receive an answer in time. */
const logAvailability = (redis: Redis, logger: ConnectionLogger): void => {
  let isTold = false;
  let telling: NodeJS.Timeout | undefined;
  let reason = '';
  const cancel = (): void => {
    clearTimeout(telling);
    telling = undefined;
  };
  const tell = (): void => {
    telling = undefined;
    if (redis.status === 'ready') return;
    isTold = true;
    logger.warn({ reason }, 'Redis is unavailable: the process works without it, but slower');
  };
  redis.on('error', (error: Error) => {
    // The last one counts: the first attempt may have failed for another reason, for example at its time limit.
    reason = reasonOf(error);
    if (!isTold) telling ??= setTimeout(tell, logUnavailableAfterMs).unref();
  });
  redis.on('ready', () => {
    cancel();
    if (isTold) logger.info({}, 'Redis is available again');
    isTold = false;
  });
  redis.on('end', cancel);
};

/** Returns the reason of an error as one word. Messages of Redis, and the commands that the library attaches to them, may repeat what was
 * sent, including credentials. */
const reasonOf = (error: Error & { readonly code?: unknown }): string =>
  typeof error.code === 'string' ? error.code : (/^[A-Z]{3,20}\b/.exec(error.message)?.[0] ?? error.name);
