// This file is long because it lists every setting that several processes have.
import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import { addressConnectionsDefault, addressFailuresDefault, clientFailuresDefault, connectionsMax } from '@waymark/http/limits.ts';
import { proxyFaults } from '@waymark/http/server/addresses.ts';
import { credentialNames, urlCredentialsOf } from './engine-urls.ts';
import { kafkaCredentialFaults } from './kafka-credentials.ts';
import { memorySettings } from './memory.ts';
import { type SettingsSpec, splitList } from './settings.ts';
import { stopSecondsDefault } from './stop-times.ts';

/** Settings that several processes have, in groups: each process names the groups that it reads. */

/** The values of a group of settings, after they are read. */
type Values<Properties extends TProperties> = Static<TObject<Properties>>;

const shared = (description: string) =>
  Type.String({
    pattern: '^[\\w-]{32,}(,[\\w-]{32,})*$',
    description: `${description}; the same for every process; several, separated by commas: the first is used, all are accepted. Secret`,
  });

const sharedOrNone = (description: string) =>
  Type.String({
    default: '',
    pattern: '^([\\w-]{32,}(,[\\w-]{32,})*)?$',
    description: `${description}; 32 characters or more; several, separated by commas: all are accepted. Secret`,
  });

const user = (of: string) => Type.String({ default: '', description: `${of}, if its URL has no credentials` });
const password = (of: string) => Type.String({ default: '', description: `${of}, if its URL has no credentials. Secret` });

/** The token of the operator API. Only the process that serves it has it. */
export const operatorTokenSettings = {
  WAYMARK_OPS_TOKEN: Type.String({
    pattern: '^[\\w-]{32,}(,[\\w-]{32,})*$',
    description: 'Token of the operator API, 32 characters or more; several, separated by commas: all are accepted. Secret',
  }),
} as const;

/** Settings of every process of a cluster. */
export const processSettings = {
  WAYMARK_OPS_HOST: Type.String({
    default: '127.0.0.1',
    minLength: 1,
    description: 'Address that the operator API listens on',
  }),
  WAYMARK_OPS_PORT: Type.Integer({
    default: 8081,
    minimum: 0,
    maximum: 65_535,
    description: 'Port of health, metrics and the operator API; 0: any free one',
  }),
  WAYMARK_STATUS_TOKEN: shared('Token that opens the figures of a process, and nothing else of its operator port, 32 characters or more'),
  WAYMARK_LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'silent'].map((level) => Type.Literal(level)),
    { default: 'info', description: 'fatal, error, warn, info, debug (every request) or silent' },
  ),
  ...memorySettings,
  WAYMARK_OPS_NAMES: Type.String({
    default: '',
    pattern: '^(\\s*[\\w.-]+\\s*(,|$))*$',
    description:
      'Host names, separated by commas, that monitoring systems use for the operator port; localhost and IP addresses are always accepted',
  }),
  WAYMARK_TLS_CA: Type.String({
    default: '',
    description: 'CA certificates (PEM) to trust for the engines, in addition to the public ones; with them, MongoDB must use TLS',
  }),
  WAYMARK_STOP_SECONDS: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 90_000,
    description: `Seconds from the end of the drain until a stopping process has finished or is ended; 0: ${stopSecondsDefault}, of a projector WAYMARK_GRACE_SECONDS + ${stopSecondsDefault}`,
  }),
  WAYMARK_DRAIN_SECONDS: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 3_600,
    description: 'Seconds that a stopping process of the API continues to answer, with Connection: close; npm run cluster: 2 if not set',
  }),
} as const;
export type ProcessSettings = Values<typeof processSettings>;

/** Limits by address, for processes that serve the API. */
export const addressSettings = {
  WAYMARK_ADDRESS_CONNECTIONS: Type.Integer({
    default: addressConnectionsDefault,
    minimum: 1,
    maximum: connectionsMax,
    description: `Open connections of one address, out of ${connectionsMax}; a trusted proxy or edge has no such limit`,
  }),
  WAYMARK_CLIENT_FAILURES: Type.Integer({
    default: clientFailuresDefault,
    minimum: 1,
    maximum: 1_000_000,
    description: 'Failed token requests a minute for one client id from one address; above it, only a known secret is accepted',
  }),
  WAYMARK_ADDRESS_FAILURES: Type.Integer({
    default: addressFailuresDefault,
    minimum: 1,
    maximum: 1_000_000,
    description: 'Unknown clients, secrets and tokens a minute from one address; above it, only known ones are accepted',
  }),
} as const;

/** Settings of a projector. */
export const graceSettings = {
  WAYMARK_GRACE_SECONDS: Type.Integer({
    default: 600,
    minimum: 0,
    maximum: 86_400,
    description: 'Seconds that readers of an older projection may delay a change of projections',
  }),
} as const;

/** Settings of processes that serve the API. */
export const apiSettings = {
  WAYMARK_HOST: Type.String({ default: '127.0.0.1', minLength: 1, description: 'Address that the API listens on' }),
  WAYMARK_PORT: Type.Integer({ default: 8080, minimum: 0, maximum: 65_535, description: 'Port of the API; 0: any free one' }),
  WAYMARK_PUBLIC_URL: Type.String({
    pattern: '^https?://[^\\s?#"\\\\]+$',
    description: 'Base URL that clients see, in page and media URLs',
  }),
  WAYMARK_CORS_ORIGINS: Type.String({
    default: '',
    pattern: '^(\\s*https?://[^\\s,/]+\\s*(,|$))*$',
    description: 'Origins whose pages may call the API, separated by commas',
  }),
  WAYMARK_RATE_LIMITS: Type.Union([Type.Literal('on'), Type.Literal('off')], { default: 'on', description: 'on or off' }),
  WAYMARK_RATE_LIMIT_REQUESTS: Type.Integer({
    default: 5_000,
    minimum: 1,
    maximum: 1_000_000,
    description: 'Requests per second and application, over ten seconds',
  }),
  ...addressSettings,
} as const;

export const eventStoreSettings = {
  WAYMARK_EVENTSTORE_URL: Type.String({
    pattern: '^(esdb|esdb\\+discover|kurrentdb|kurrentdb\\+discover)://',
    description: 'Event store: esdb://user:password@host:2113?tls=true. Secret',
  }),
  WAYMARK_EVENTSTORE_USERNAME: user('User of the event store'),
  WAYMARK_EVENTSTORE_PASSWORD: password('Password of the event store'),
} as const;

export const mongoSettings = {
  WAYMARK_MONGODB_URL: Type.String({ pattern: '^mongodb(\\+srv)?://', description: 'MongoDB of the read models, a replica set. Secret' }),
  WAYMARK_MONGODB_USERNAME: user('User of MongoDB'),
  WAYMARK_MONGODB_PASSWORD: password('Password of MongoDB'),
  WAYMARK_MONGODB_DATABASE: Type.String({ default: 'waymark', pattern: '^[\\w-]{1,60}$', description: 'Its database' }),
} as const;

export const redisSettings = {
  WAYMARK_REDIS_URL: Type.String({ pattern: '^rediss?://', description: 'Redis: a cache, announcements and counts. Secret' }),
  WAYMARK_REDIS_USERNAME: user('User of Redis'),
  WAYMARK_REDIS_PASSWORD: password('Password of Redis'),
  WAYMARK_REDIS_PREFIX: Type.String({
    default: 'waymark',
    pattern: '^[\\w.:-]{1,60}$',
    description: "Prefix of its keys and channels, before the installation's id",
  }),
} as const;

export const kafkaSettings = {
  WAYMARK_KAFKA_BROKERS: Type.String({
    pattern: '^[^\\s,]+:\\d+(,[^\\s,]+:\\d+)*$',
    description: 'Kafka brokers, host:port, separated by commas',
  }),
  WAYMARK_KAFKA_TOPIC: Type.String({ default: 'waymark-events', pattern: '^[\\w.-]{1,200}$', description: 'Topic of the events' }),
  WAYMARK_KAFKA_TLS: Type.Union([Type.Literal('on'), Type.Literal('off')], { default: 'off', description: 'on or off' }),
  WAYMARK_KAFKA_SASL_MECHANISM: Type.Union([Type.Literal('SCRAM-SHA-256'), Type.Literal('SCRAM-SHA-512'), Type.Literal('PLAIN')], {
    default: 'SCRAM-SHA-256',
    description: 'SCRAM-SHA-256, SCRAM-SHA-512, or PLAIN (only with TLS)',
  }),
  WAYMARK_KAFKA_USERNAME: Type.String({ default: '', description: 'User for SASL; empty: no SASL' }),
  WAYMARK_KAFKA_PASSWORD: Type.String({ default: '', description: 'Password for SASL. Secret' }),
  WAYMARK_KAFKA_CERTIFICATE: Type.String({ default: '', description: 'Client certificate (PEM), if the brokers require one' }),
  WAYMARK_KAFKA_CERTIFICATE_KEY: Type.String({ default: '', description: 'Private key of the client certificate (PEM). Secret' }),
} as const;

export const mediaSettings = {
  WAYMARK_MEDIA_URL: Type.String({
    pattern: '^(s3\\+https?|gridfs\\+mongodb(\\+srv)?)://',
    description:
      'Where files are kept: s3+http://key:secret@host/bucket or gridfs+mongodb://user:password@host/database; S3 without a key: the identity that the environment gives to the process. Secret',
  }),
  WAYMARK_MEDIA_USERNAME: user('User of GridFS, or access key of S3'),
  WAYMARK_MEDIA_PASSWORD: password('Password of GridFS, or secret key of S3'),
} as const;

export const waitSettings = {
  WAYMARK_READ_WAIT_MS: Type.Integer({
    default: 2_000,
    minimum: 0,
    maximum: 60_000,
    description: 'How long a write waits until every reader sees it, in milliseconds',
  }),
} as const;

export const cursorSettings = { WAYMARK_CURSOR_KEY: shared('Key that page cursors are signed with, 32 characters or more') } as const;
export const signingSettings = {
  WAYMARK_SIGNING_KEY: shared('Key that entries in Redis and records in Kafka are signed with, 32 characters or more'),
} as const;
export const idempotencySettings = {
  WAYMARK_IDEMPOTENCY_KEY: Type.String({
    pattern: '^[\\w-]{32,}$',
    description: 'Key that idempotency keys are hashed under, 32 characters or more; the same for every process. Secret',
  }),
} as const;
/** Settings of processes that append request ids, log them, or find them in the history. */
export const requestIdSettings = {
  WAYMARK_REQUEST_ID_KEY: shared('Key that request ids that are not UUIDs are hashed under, 32 characters or more'),
} as const;
/** Settings of processes that record refused requests. */
export const recordingSettings = {
  WAYMARK_REFUSALS_SECONDS: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 60,
    description: 'Seconds between two records of the refused requests of an account; a crash loses those since the last one',
  }),
} as const;
/** Settings of processes that read or drop the records of refused requests. */
export const refusalsSettings = {
  WAYMARK_REFUSALS_DAYS: Type.Integer({
    default: 90,
    minimum: 1,
    maximum: 3_650,
    description: 'Days after which the records of refused requests are dropped',
  }),
} as const;
export const proxySettings = {
  WAYMARK_TRUSTED_PROXIES: Type.String({
    default: '',
    description: 'Addresses and subnets, separated by commas, whose X-Forwarded-For is trusted',
  }),
  WAYMARK_EDGE_KEY: sharedOrNone(
    'Key that an edge sends in X-Waymark-Edge-Key, the first one: its X-Forwarded-For is trusted, whatever its address',
  ),
} as const;

/** Settings of processes that count requests and connections by address. */
export type AddressSettings = Values<typeof proxySettings & typeof addressSettings>;
/** Returns the errors in the trusted proxies that a schema cannot express. */
export const proxyFaultsIn = ({ WAYMARK_TRUSTED_PROXIES: proxies }: Values<typeof proxySettings>): readonly string[] =>
  proxyFaults(splitList(proxies));

export type ApiSettings = Values<typeof apiSettings>;
export type EventStoreSettings = Values<typeof eventStoreSettings>;
export type MongoSettings = Values<typeof mongoSettings>;
export type RedisSettings = Values<typeof redisSettings>;
export type KafkaSettings = Values<typeof kafkaSettings>;
export type MediaSettings = Values<typeof mediaSettings>;
export type SigningSettings = Values<typeof signingSettings>;
export type RequestIdSettings = Values<typeof requestIdSettings>;
export type RecordingSettings = Values<typeof recordingSettings>;

/** Names of the settings that may be given as a file, by the name with the suffix `_FILE`. */
const secretNames: readonly string[] = [
  'WAYMARK_OPS_TOKEN',
  'WAYMARK_STATUS_TOKEN',
  'WAYMARK_EDGE_KEY',
  'WAYMARK_TLS_CA',
  'WAYMARK_EVENTSTORE_URL',
  'WAYMARK_MONGODB_URL',
  'WAYMARK_REDIS_URL',
  ...credentialNames,
  'WAYMARK_KAFKA_USERNAME',
  'WAYMARK_KAFKA_PASSWORD',
  'WAYMARK_KAFKA_CERTIFICATE',
  'WAYMARK_KAFKA_CERTIFICATE_KEY',
  'WAYMARK_MEDIA_URL',
  'WAYMARK_CURSOR_KEY',
  'WAYMARK_SIGNING_KEY',
  'WAYMARK_IDEMPOTENCY_KEY',
  'WAYMARK_REQUEST_ID_KEY',
  'WAYMARK_NOTARY_KEY',
  'WAYMARK_CHECKPOINTS_TO',
];

/** Returns the specification of the settings that a process reads.
 * @param faults returns the errors that a schema cannot express */
export const settingsOf = <Schema extends TObject>(schema: Schema, faults?: SettingsSpec<Schema>['faults']): SettingsSpec<Schema> => {
  const names = Object.keys(schema.properties);
  const credentials = urlCredentialsOf(names);
  const ofKafka = names.includes('WAYMARK_KAFKA_BROKERS') ? kafkaCredentialFaults : () => [];
  return {
    schema,
    secrets: names.filter((name) => secretNames.includes(name)),
    faults: (settings) => [...credentials.faults(settings), ...ofKafka(settings), ...(faults?.(settings) ?? [])],
    complete: credentials.complete,
  };
};
