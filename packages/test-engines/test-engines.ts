import { randomBytes } from 'node:crypto';

/** Each engine that tests may need, and the environment variable with its address. */
export const engineVariables = {
  eventstore: 'WAYMARK_EVENTSTORE_URL',
  kafka: 'WAYMARK_KAFKA_BROKERS',
  mongodb: 'WAYMARK_MONGODB_URL',
  redis: 'WAYMARK_REDIS_URL',
  media: 'WAYMARK_MEDIA_URL',
  /** A command that kills, pauses, wipes and starts engines: `$WAYMARK_ENGINES_CONTROL kill kafka`. */
  control: 'WAYMARK_ENGINES_CONTROL',
  /** The directory that the event store keeps its log in, for tests that put another one there. */
  eventstoreFiles: 'WAYMARK_TEST_EVENTSTORE_FILES',
  /** A checkout of the release before this one, with everything installed. */
  releaseBefore: 'WAYMARK_TEST_RELEASE_BEFORE',
  /** Path of the CA certificate that signed the certificates of the engines below. */
  tls: 'WAYMARK_TEST_CA',
  /** The same engines over TLS, with user and password. */
  eventstoreTls: 'WAYMARK_TEST_EVENTSTORE_TLS_URL',
  kafkaTls: 'WAYMARK_TEST_KAFKA_TLS_BROKERS',
  /** `user:password`. */
  kafkaTlsCredentials: 'WAYMARK_TEST_KAFKA_TLS_CREDENTIALS',
  /** Brokers that require a client certificate. */
  kafkaMutualTls: 'WAYMARK_TEST_KAFKA_MUTUAL_TLS_BROKERS',
  /** The paths of a client certificate that may do everything, and of its key: `certificate:key`. */
  kafkaClientCertificate: 'WAYMARK_TEST_KAFKA_CLIENT_CERTIFICATE',
  /** `user:password` of a user of `kafkaTls` that may do nothing except what ACLs allow. */
  kafkaLeastCredentials: 'WAYMARK_TEST_KAFKA_LEAST_CREDENTIALS',
  mongodbTls: 'WAYMARK_TEST_MONGODB_TLS_URL',
  redisTls: 'WAYMARK_TEST_REDIS_TLS_URL',
} as const;
export type Engine = keyof typeof engineVariables;

/** True while Jest collects the tests of a file. It runs them only after that. */
let collecting = typeof beforeAll === 'function';
if (collecting) {
  beforeAll(() => {
    collecting = false;
  });
}

/** Returns the URL of an engine. To be called within the tests and hooks of `describeOn`.
 * @throws while tests are collected, with or without engines, because otherwise the file could not be loaded without them */
export const urlOf = (engine: Engine): string => {
  if (collecting) throw new Error(`The URL of ${engine} is available only within a test or a hook: every file loads without engines.`);
  const url = process.env[engineVariables[engine]];
  if (!url) throw new Error(`${engineVariables[engine]} is not set`);
  return url;
};

/** Declares tests that need engines. If one of the engines is not configured, the tests are left out, and their title says so. Tests that
 * stop engines belong in a file with a name that jest runs alone (jest.config.js). */
export const describeOn = (engines: readonly Engine[], title: string, body: () => void): void => {
  if (engines.includes('control') && !expect.getState().testPath?.endsWith('.control.test.ts'))
    throw new Error(`"${title}" disturbs other tests that use these engines at the same time: it belongs in a *.control.test.ts`);
  const missing = engines.map((engine) => engineVariables[engine]).filter((name) => !process.env[name]);
  if (missing.length === 0) describe(title, body);
  else describe.skip(`${title} (left out: needs ${missing.join(', ')})`, body);
};

/** Returns a unique name for what a test creates on a shared engine: a database, a topic, a prefix. */
export const ownName = (name: string): string => `${name}-${randomBytes(6).toString('hex')}`;
