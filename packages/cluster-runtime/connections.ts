import { type KafkaOptions, openKafkaBroker } from '@waymark/broker/kafka/broker.ts';
import { openEventStoreLog } from '@waymark/event-log/eventstoredb/event-log.ts';
import { openMongoHistory } from '@waymark/history/mongodb/history.ts';
import { openMedia } from '@waymark/media/urls.ts';
import { openMongoProofStore } from '@waymark/proof-store/mongodb/proof-store.ts';
import { type MongoReadSideOptions, openMongoReadSide } from '@waymark/read-models/mongodb/read-side.ts';
import { openRedis } from '@waymark/redis/connection.ts';
import type {
  EventStoreSettings,
  KafkaSettings,
  MediaSettings,
  MongoSettings,
  ProcessSettings,
  RedisSettings,
  SigningSettings,
} from '@waymark/runtime/common-settings.ts';
import { splitList } from '@waymark/runtime/settings.ts';
import { createSigner } from '@waymark/signing/signer.ts';
import type { Logger } from 'pino';

/** Opens each engine from the settings, in the same way for every process of a cluster. */

type With<Settings> = { readonly settings: ProcessSettings & Settings; readonly logger: Logger };

/** Returns the authorities to trust for the engines. */
export const caOf = ({ WAYMARK_TLS_CA: ca }: ProcessSettings): { readonly ca?: string } => (ca === '' ? {} : { ca });

export const eventStore = ({ settings, logger }: With<EventStoreSettings>) =>
  openEventStoreLog({ url: settings.WAYMARK_EVENTSTORE_URL, ...caOf(settings), logger });

/** @param options see `MongoReadSideOptions` */
export const readSide = (
  { settings, logger }: With<MongoSettings>,
  options: Pick<MongoReadSideOptions, 'cachedOfBytes' | 'contradicted'> = {},
) =>
  openMongoReadSide({
    url: settings.WAYMARK_MONGODB_URL,
    database: settings.WAYMARK_MONGODB_DATABASE,
    ...caOf(settings),
    ...options,
    logger,
  });

/** Opens the history of an installation, which is in the database of the read models. */
export const history = ({ settings, logger }: With<MongoSettings>, installation: string) => {
  const { WAYMARK_MONGODB_URL: url, WAYMARK_MONGODB_DATABASE: database } = settings;
  const opened = openMongoHistory({ url, database, ...caOf(settings), logger });
  opened.setInstallation(installation);
  return opened;
};

/** Opens the store of the accounts' trees, which is in the database of the read models. */
export const proofStore = ({ settings }: With<MongoSettings>) => {
  const { WAYMARK_MONGODB_URL: url, WAYMARK_MONGODB_DATABASE: database } = settings;
  return openMongoProofStore({ url, database, ...caOf(settings) });
};

export const redis = ({ settings, logger }: With<RedisSettings>) =>
  openRedis({ url: settings.WAYMARK_REDIS_URL, ...caOf(settings), logger });

/** Creates the signer for values that are stored in Redis. */
export const signerOf = ({ settings }: { readonly settings: SigningSettings }) => createSigner(splitList(settings.WAYMARK_SIGNING_KEY));

export const media = ({ settings }: With<MediaSettings>) => openMedia(settings.WAYMARK_MEDIA_URL, caOf(settings));

export const records = ({ settings, logger }: With<KafkaSettings & SigningSettings>) =>
  openKafkaBroker({
    brokers: splitList(settings.WAYMARK_KAFKA_BROKERS),
    topic: settings.WAYMARK_KAFKA_TOPIC,
    clientId: 'waymark',
    signer: createSigner(splitList(settings.WAYMARK_SIGNING_KEY)),
    logger,
    ...kafkaSecurityOf(settings),
  });

/** Returns how to connect to Kafka: with TLS, a client certificate and SASL, as far as they are set. */
const kafkaSecurityOf = (settings: ProcessSettings & KafkaSettings): Pick<KafkaOptions, 'tls' | 'credentials'> => {
  const { WAYMARK_KAFKA_USERNAME: username, WAYMARK_KAFKA_PASSWORD: password, WAYMARK_KAFKA_SASL_MECHANISM: mechanism } = settings;
  const { WAYMARK_KAFKA_CERTIFICATE: certificate, WAYMARK_KAFKA_CERTIFICATE_KEY: key } = settings;
  const client = certificate === '' ? {} : { client: { certificate, key } };
  return {
    ...(settings.WAYMARK_KAFKA_TLS === 'on' ? { tls: { ...caOf(settings), ...client } } : {}),
    ...(username === '' ? {} : { credentials: { mechanism, username, password } }),
  };
};
