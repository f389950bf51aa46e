import type { Logger } from 'pino';

/** The settings that name engines. A process has some of them. */
type EngineSettings = {
  readonly WAYMARK_EVENTSTORE_URL?: string;
  readonly WAYMARK_MONGODB_URL?: string;
  readonly WAYMARK_REDIS_URL?: string;
  readonly WAYMARK_KAFKA_BROKERS?: string;
  readonly WAYMARK_KAFKA_USERNAME?: string;
  readonly WAYMARK_KAFKA_CERTIFICATE?: string;
  readonly WAYMARK_MEDIA_URL?: string;
};

/** Returns the engines whose settings have no credentials. S3 always has credentials: the client signs with the process's identity where the
 * URL has no key. */
export const enginesWithoutCredentials = (settings: EngineSettings): readonly string[] => [
  ...named('the event store', settings.WAYMARK_EVENTSTORE_URL, hasEventStoreUser),
  ...named('Kafka', settings.WAYMARK_KAFKA_BROKERS, () => Boolean(settings.WAYMARK_KAFKA_USERNAME || settings.WAYMARK_KAFKA_CERTIFICATE)),
  ...named('MongoDB', settings.WAYMARK_MONGODB_URL, hasMongoUser),
  ...named('Redis', settings.WAYMARK_REDIS_URL, hasRedisPassword),
  ...named('the media store', settings.WAYMARK_MEDIA_URL, (url) => !url.startsWith('gridfs+') || hasMongoUser(url)),
];

/** Logs one line that names these engines, if there are any. */
export const warnOfEngines = (settings: object, logger: Logger): void => {
  const engines = enginesWithoutCredentials(settings);
  if (engines.length === 0) return;
  logger.warn(
    { engines },
    `No credentials are set for ${engines.join(', ')}: any client that reaches the engine can read and change its data`,
  );
};

const named = (name: string, value: string | undefined, hasCredentials: (value: string) => boolean): readonly string[] =>
  value === undefined || value === '' || hasCredentials(value) ? [] : [name];

/** Matches the URL as text: it may contain several hosts, which no URL parser accepts. */
const hasUser = (url: string): boolean => /^[^/]+:\/\/[^/?]*[^/?@]@/.test(url);

/** The event store does not check users without TLS. */
const hasEventStoreUser = (url: string): boolean => !/[?&]tls=false(&|$)/i.test(url) && (hasUser(url) || /[?&]userCertFile=/i.test(url));

/** Some authentication mechanisms do not take the user from the URL. */
const hasMongoUser = (url: string): boolean => hasUser(url) || /[?&]authMechanism=MONGODB-(X509|AWS|OIDC)(&|$)/i.test(url);

const hasRedisPassword = (url: string): boolean => /^[^/]+:\/\/[^/?@]*:[^/?@]+@/.test(url);
