import { setTimeout as pause } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import { BrokerUnavailable } from '../broker.ts';
import { authenticationMs, connectMs, requestMs, retriesMax, retryMs, retryMsMax, stopMs } from './limits.ts';

/** Where what happens is told; pino is one. */
export type RecordsLogger = {
  readonly [level in 'error' | 'warn' | 'debug']: (details: object, message: string) => void;
};

export type KafkaAddress = {
  /** Each `host:port`; one that answers is enough. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** Without: no TLS. `ca`: certificates in PEM beside the public authorities'. */
  readonly tls?: { readonly ca?: string };
  /** For SCRAM-SHA-256. */
  readonly credentials?: { readonly username: string; readonly password: string };
  readonly logger: RecordsLogger;
};

export const retry = { initialRetryTime: retryMs, maxRetryTime: retryMsMax, retries: retriesMax };

/** A client of its own for each use: clients share what they remember of offsets and brokers. */
export const createKafkaClient = ({ brokers, clientId, tls, credentials, logger }: KafkaAddress): Kafka =>
  new Kafka({
    brokers: [...brokers],
    clientId,
    ...(tls && { ssl: tls.ca === undefined ? true : { ca: [tls.ca] } }),
    ...(credentials && { sasl: { mechanism: 'scram-sha-256', ...credentials } }),
    connectionTimeout: connectMs,
    authenticationTimeout: authenticationMs,
    requestTimeout: requestMs,
    retry,
    logLevel: logLevel.WARN,
    logCreator: () => (entry) => {
      const { message, timestamp, logger: source, stack, ...details } = entry.log;
      // A broker that goes away and comes back is no error of ours; what does not pass is told by whoever has to do with it.
      logger[entry.level === logLevel.ERROR ? 'warn' : 'debug']({ namespace: entry.namespace, ...details }, `kafka: ${message}`);
    },
  });

/** The word that the broker's protocol has for what went wrong, in an error or in what caused it. */
export const protocolError = (error: unknown): string | undefined => {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth += 1) {
    if ('type' in at && typeof at.type === 'string') return at.type;
  }
  return undefined;
};

/** Who leads a partition has just changed, or is about to be known: nothing is wrong, but it has to be asked again. */
export const leaderless = ['NOT_LEADER_FOR_PARTITION', 'LEADER_NOT_AVAILABLE'] as const;

/** Tries again, a few times, while what went wrong is about to pass. */
export const retryCall = async <Result>(
  work: () => Promise<Result>,
  passing: readonly string[] = leaderless,
  attempt = 0,
): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    if (attempt >= retriesMax || !passing.includes(protocolError(error) ?? '')) throw error;
    await pause(retryMs * 2 ** attempt);
    return await retryCall(work, passing, attempt + 1);
  }
};

export const unavailable = (what: string, cause: unknown): BrokerUnavailable =>
  cause instanceof BrokerUnavailable
    ? cause
    : new BrokerUnavailable(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });

/** Waits for something no longer than a time. What comes of it later is nobody's. @throws BrokerUnavailable */
export const withTimeout = async <Result>(ms: number, what: string, work: Promise<Result>): Promise<Result> => {
  const timer = new AbortController();
  const late = pause(ms, undefined, { signal: timer.signal }).then(() => {
    throw new BrokerUnavailable(`${what}: not done within ${ms} ms`);
  });
  late.catch(() => undefined);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
};

/** Ends a connection, in whatever state it is, and does not wait for ever. */
export const closeQuietly = async (what: string, end: () => Promise<unknown>, logger: RecordsLogger): Promise<void> => {
  try {
    await withTimeout(stopMs, what, end());
  } catch (error) {
    logger.warn({ err: error }, `kafka: ${what}: left to itself`);
  }
};
