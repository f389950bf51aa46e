/** Engines that testcontainers can start, by the names that `packages/test-engines` has for them. */
export const startable = ['eventstore', 'kafka', 'mongodb', 'redis', 'media'] as const;
export type Startable = (typeof startable)[number];

/** The address of an engine: the Docker host, and a port of it that was free. */
export type EngineAddress = { readonly host: string; readonly port: number };

/** How to run an engine from its image, in a container that keeps its port when it is restarted. */
export type Recipe = {
  readonly image: string;
  readonly containerPort: number;
  readonly environment?: Record<string, string>;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  /** A shell command that runs inside the container until it succeeds: the engine is ready then. */
  readonly ready: string;
  /** The URL that tests get. */
  readonly url: string;
};

/** The image of each engine. A setting such as `WAYMARK_TEST_IMAGE_REDIS` replaces it. */
const images: Readonly<Record<Startable, readonly [setting: string, image: string]>> = {
  eventstore: ['WAYMARK_TEST_IMAGE_EVENTSTORE', 'eventstore/eventstore:23.10.0-bookworm-slim'],
  kafka: ['WAYMARK_TEST_IMAGE_KAFKA', 'apache/kafka:4.0.0'],
  mongodb: ['WAYMARK_TEST_IMAGE_MONGODB', 'mongo:8.0.4'],
  redis: ['WAYMARK_TEST_IMAGE_REDIS', 'redis:7.2.4'],
  media: ['WAYMARK_TEST_IMAGE_S3', 'ghcr.io/versity/versitygw:v1.0.5'],
};

const imageOf = (engine: Startable): string => {
  const [setting, image] = images[engine];
  return process.env[setting] || image;
};

/** A script for the shell of MongoDB: creates a replica set with one member if there is none. Fails until the server accepts writes. */
const initiated = `
  try { rs.status() } catch { rs.initiate({ _id: "waymark", members: [{ _id: 0, host: "127.0.0.1:27017" }] }) }
  quit(db.hello().isWritablePrimary ? 0 : 1)`;

const recipes: Readonly<Record<Startable, (place: EngineAddress) => Omit<Recipe, 'image'>>> = {
  eventstore: ({ host, port }) => ({
    containerPort: 2113,
    environment: { EVENTSTORE_INSECURE: 'true', EVENTSTORE_CLUSTER_SIZE: '1' },
    ready: 'curl --silent --fail http://127.0.0.1:2113/health/live',
    url: `esdb://${host}:${port}?tls=false`,
  }),
  // A broker sends its address to its clients, so that it must listen on the port that they see.
  kafka: ({ host, port }) => ({
    containerPort: port,
    environment: {
      KAFKA_NODE_ID: '1',
      KAFKA_PROCESS_ROLES: 'broker,controller',
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@127.0.0.1:9093',
      KAFKA_LISTENERS: `PLAINTEXT://:${port},CONTROLLER://127.0.0.1:9093`,
      KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://${host}:${port}`,
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
      KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: '1',
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
      KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
      // A single broker that was killed waits for its previous session to end.
      KAFKA_BROKER_SESSION_TIMEOUT_MS: '2000',
      KAFKA_BROKER_HEARTBEAT_INTERVAL_MS: '500',
    },
    ready: `/opt/kafka/bin/kafka-cluster.sh cluster-id --bootstrap-server 127.0.0.1:${port}`,
    url: `${host}:${port}`,
  }),
  mongodb: ({ host, port }) => ({
    containerPort: 27017,
    command: ['mongod', '--replSet', 'waymark', '--bind_ip_all'],
    ready: `mongosh --quiet --eval '${initiated}'`,
    // The address that the replica set has of itself is not valid outside the container.
    url: `mongodb://${host}:${port}/?directConnection=true`,
  }),
  redis: ({ host, port }) => ({
    containerPort: 6379,
    command: ['redis-server', '--appendonly', 'yes', '--protected-mode', 'no'],
    ready: 'redis-cli ping | grep PONG',
    url: `redis://${host}:${port}`,
  }),
  media: ({ host, port }) => ({
    containerPort: 7070,
    environment: { ROOT_ACCESS_KEY: 'waymark', ROOT_SECRET_KEY: 'secret12' },
    entrypoint: ['/bin/sh', '-c'],
    command: ['mkdir -p /data/media && PATH=$PATH:/app exec versitygw --port :7070 posix /data'],
    ready: 'nc -z 127.0.0.1 7070',
    url: `s3+http://waymark:secret12@${host}:${port}/media`,
  }),
};

/** Returns the recipe of an engine at a place. */
export const recipeOf = (engine: Startable, place: EngineAddress): Recipe => ({ image: imageOf(engine), ...recipes[engine](place) });
