import type { Logger } from 'pino';

/** Settings that name engines, as far as a process has them. */
type EngineSettings = {
  readonly WAYMARK_EVENTSTORE_URL?: string;
  readonly WAYMARK_MONGODB_URL?: string;
  readonly WAYMARK_REDIS_URL?: string;
  readonly WAYMARK_KAFKA_BROKERS?: string;
  readonly WAYMARK_KAFKA_USERNAME?: string;
  readonly WAYMARK_MEDIA_URL?: string;
};

/** The engines that the settings name without credentials. S3 is not used without. */
export const enginesWithoutCredentials = (settings: EngineSettings): readonly string[] => [
  ...named('the event store', settings.WAYMARK_EVENTSTORE_URL, hasEventStoreUser),
  ...named('Kafka', settings.WAYMARK_KAFKA_BROKERS, () => Boolean(settings.WAYMARK_KAFKA_USERNAME)),
  ...named('MongoDB', settings.WAYMARK_MONGODB_URL, hasMongoUser),
  ...named('Redis', settings.WAYMARK_REDIS_URL, hasRedisPassword),
  ...named('the media store', settings.WAYMARK_MEDIA_URL, (url) => !url.startsWith('gridfs+') || hasMongoUser(url)),
];

/** Logs one line that names these engines, if there are any. */
export const warnOfEngines = (settings: object, logger: Logger): void => {
  const engines = enginesWithoutCredentials(settings);
  if (engines.length === 0) return;
  logger.warn({ engines }, `No credentials are set for ${engines.join(', ')}: whatever reaches an engine can read and change its data`);
};

const named = (name: string, value: string | undefined, hasCredentials: (value: string) => boolean): readonly string[] =>
  value === undefined || value === '' || hasCredentials(value) ? [] : [name];

/** Several hosts may stand in a URL, which no parser of URLs takes. */
const hasUser = (url: string): boolean => /^[^/]+:\/\/[^/?]*[^/?@]@/.test(url);

/** Without TLS the event store checks no user. */
const hasEventStoreUser = (url: string): boolean => !/[?&]tls=false(&|$)/i.test(url) && (hasUser(url) || /[?&]userCertFile=/i.test(url));

/** Some mechanisms take the user from elsewhere. */
const hasMongoUser = (url: string): boolean => hasUser(url) || /[?&]authMechanism=MONGODB-(X509|AWS|OIDC)(&|$)/i.test(url);

const hasRedisPassword = (url: string): boolean => /^[^/]+:\/\/[^/?@]*:[^/?@]+@/.test(url);
