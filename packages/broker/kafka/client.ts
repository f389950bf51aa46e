import { setTimeout as pause } from 'node:timers/promises';
import { pauseMs } from '@waymark/timing/back-off.ts';
import { withDeadline } from '@waymark/timing/deadline.ts';
import { Kafka, logLevel, type SASLOptions } from 'kafkajs';
import { BrokerUnavailable } from '../broker.ts';
import { authenticationMs, connectMs, requestMs, retriesMax, retryMs, retryMsMax, retryPauses, stopMs } from './limits.ts';

/** The logger of the Kafka adapter. A pino logger can be used. */
export type RecordsLogger = {
  readonly [level in 'error' | 'warn' | 'debug']: (details: object, message: string) => void;
};

export type SaslMechanism = 'SCRAM-SHA-256' | 'SCRAM-SHA-512' | 'PLAIN';

export type KafkaAddress = {
  /** The addresses, each as `host:port`. One reachable broker is enough. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** Without it, no TLS. `ca`: PEM certificates that are trusted besides the public authorities. `client`: the client's own certificate and
   * its private key, in PEM. */
  readonly tls?: { readonly ca?: string; readonly client?: { readonly certificate: string; readonly key: string } };
  /** Credentials for SASL. */
  readonly credentials?: { readonly mechanism: SaslMechanism; readonly username: string; readonly password: string };
  readonly logger: RecordsLogger;
};

export const retry = { initialRetryTime: retryMs, maxRetryTime: retryMsMax, retries: retriesMax };

/** Creates a client. Each use has its own, because the uses of one client share its cache of offsets and brokers. */
export const createKafkaClient = ({ brokers, clientId, tls, credentials, logger }: KafkaAddress): Kafka =>
  new Kafka({
    brokers: [...brokers],
    clientId,
    ...(tls && { ssl: { ...(tls.ca && { ca: [tls.ca] }), ...(tls.client && { cert: tls.client.certificate, key: tls.client.key }) } }),
    ...(credentials && { sasl: saslOf(credentials) }),
    connectionTimeout: connectMs,
    authenticationTimeout: authenticationMs,
    requestTimeout: requestMs,
    retry,
    logLevel: logLevel.WARN,
    logCreator: () => (entry) => {
      const { message, timestamp, logger: source, stack, ...details } = entry.log;
      // A broker that disconnects and returns is not an error of this process. The caller logs what persists.
      logger[entry.level === logLevel.ERROR ? 'warn' : 'debug']({ namespace: entry.namespace, ...details }, `kafka: ${message}`);
    },
  });

const saslOf = ({ mechanism, ...user }: NonNullable<KafkaAddress['credentials']>): SASLOptions => {
  switch (mechanism) {
    case 'SCRAM-SHA-256':
      return { mechanism: 'scram-sha-256', ...user };
    case 'SCRAM-SHA-512':
      return { mechanism: 'scram-sha-512', ...user };
    case 'PLAIN':
      return { mechanism: 'plain', ...user };
  }
};

/** Returns the Kafka protocol's error code from an error or one of its causes. Of several errors in one, the first counts. */
export const protocolError = (error: unknown): string | undefined => {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = causeOf(at), depth += 1) {
    if ('type' in at && typeof at.type === 'string') return at.type;
  }
  return undefined;
};

const causeOf = (error: Error): unknown => ('errors' in error && Array.isArray(error.errors) ? error.errors[0] : error.cause);

/** The leader of a partition has just changed or is not known yet. Nothing is wrong; the call has to be repeated. */
export const leaderless = ['NOT_LEADER_FOR_PARTITION', 'LEADER_NOT_AVAILABLE'] as const;

/** Calls `work` again, a few times, while it fails with a temporary error. */
export const retryCall = async <Result>(
  work: () => Promise<Result>,
  passing: readonly string[] = leaderless,
  attempt = 0,
): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    if (attempt >= retriesMax || !passing.includes(protocolError(error) ?? '')) throw error;
    await pause(pauseMs(retryPauses, attempt));
    return await retryCall(work, passing, attempt + 1);
  }
};

export const unavailable = (what: string, cause: unknown): BrokerUnavailable =>
  cause instanceof BrokerUnavailable
    ? cause
    : new BrokerUnavailable(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });

/** Waits for a result up to a time limit. A later result is ignored.
 * @throws BrokerUnavailable */
export const withTimeout = <Result>(ms: number, what: string, work: Promise<Result>): Promise<Result> =>
  withDeadline(ms, work, () => {
    throw new BrokerUnavailable(`${what}: timed out after ${ms} ms`);
  });

/** Closes a connection in any state, within a time limit. */
export const closeQuietly = async (what: string, end: () => Promise<unknown>, logger: RecordsLogger): Promise<void> => {
  try {
    await withTimeout(stopMs, what, end());
  } catch (error) {
    logger.warn({ err: error }, `kafka: ${what}: could not be closed, abandoned`);
  }
};
