import { setTimeout as pause } from 'node:timers/promises';
import { ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import {
  type AclEntry,
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  type Admin,
  Kafka,
  logLevel,
  Partitioners,
  type Producer,
  ResourcePatternTypes,
} from 'kafkajs';
import type { Consumption, LastRecords, PartitionRecord, ReceivedRecord, Tail } from '../broker.ts';
import { type KafkaBroker, type KafkaOptions, openKafkaBroker } from '../kafka/broker.ts';
import { someInstallation, someSigner } from './some-records.ts';

export const silent = { error: () => {}, warn: () => {}, debug: () => {} };

const brokers = (): string[] => urlOf('kafka').split(',');
/** Returns a client of the library, for calls that the adapter does not make. */
export const kafka = (): Kafka => new Kafka({ brokers: brokers(), logLevel: logLevel.NOTHING });

export const withAdmin = async <Result>(work: (admin: Admin) => Promise<Result>): Promise<Result> => {
  const admin = kafka().admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
};

/** Gives the user without rights what docs/cluster.md lists as the least: on one topic, and on the groups with a prefix. */
export const permitLeast = async (topic: string, groups: string): Promise<void> => {
  const [user] = urlOf('kafkaLeastCredentials').split(':');
  const allowed = { principal: `User:${user}`, host: '*', permissionType: AclPermissionTypes.ALLOW };
  const ofTopic = { resourceType: AclResourceTypes.TOPIC, resourceName: topic, resourcePatternType: ResourcePatternTypes.LITERAL };
  const ofGroups = { resourceType: AclResourceTypes.GROUP, resourceName: groups, resourcePatternType: ResourcePatternTypes.PREFIXED };
  const { DESCRIBE, READ, WRITE, DELETE } = AclOperationTypes;
  const acl: AclEntry[] = [
    ...[DESCRIBE, READ, WRITE, DELETE].map((operation) => ({ ...allowed, ...ofTopic, operation })),
    { ...allowed, ...ofGroups, operation: READ },
  ];
  await withAdmin((admin) => admin.createAcls({ acl }));
};

/** Deletes all records of a partition. */
export const dropRecords = (topic: string, partition: number): Promise<void> =>
  withAdmin(async (admin) => {
    // The library knows the topic's partitions only after this call.
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: '-1' }] });
  });

export const withProducer = async <Result>(work: (producer: Producer) => Promise<Result>, transactionalId?: string): Promise<Result> => {
  const producer = kafka().producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    ...(transactionalId && { transactionalId, idempotent: true, maxInFlightRequests: 1 }),
  });
  await producer.connect();
  try {
    return await work(producer);
  } finally {
    await producer.disconnect();
  }
};

/** The broker, bound to one installation. */
export type Opened = Omit<KafkaBroker, 'last' | 'tail' | 'send' | 'consume' | 'drop'> & {
  readonly topic: string;
  readonly options: KafkaOptions;
  readonly last: () => Promise<LastRecords['ofPartitions']>;
  readonly lastOf: () => Promise<LastRecords>;
  readonly tail: (since?: Tail) => Promise<Tail>;
  readonly send: (records: readonly PartitionRecord[], facts?: string) => Promise<void>;
  readonly consume: (consumption: Omit<Consumption, 'installation'>) => Promise<void>;
  readonly drop: (partition: number, through: number) => Promise<boolean>;
};

const ofInstallation = (records: KafkaBroker, options: KafkaOptions, installation: string): Opened => ({
  ...records,
  topic: options.topic,
  options,
  last: async () => (await records.last(installation)).ofPartitions,
  lastOf: () => records.last(installation),
  tail: (since) => records.tail(installation, since),
  send: (some, facts) => records.send(some, installation, facts),
  consume: (consumption) => records.consume({ installation, ...consumption }),
  drop: (partition, through) => records.drop(partition, through, installation),
});

type OpenOptions = Partial<KafkaOptions> & { readonly installation?: string };

/** Opens topics and connections; after each test the topics are deleted and the connections closed. */
export const openTopics = () => {
  const opened: Opened[] = [];
  beforeAll(groupsAnswer, 60_000);
  const open = ({ installation = someInstallation, ...options }: OpenOptions = {}): Opened => {
    const all = { brokers: brokers(), clientId: 'test', topic: ownName('records'), signer: someSigner, logger: silent, ...options };
    const records = ofInstallation(openKafkaBroker(all), all, installation);
    opened.push(records);
    return records;
  };
  return {
    open,
    /** Opens a broker and creates its topic. */
    made: async (options?: OpenOptions): Promise<Opened> => {
      const records = open(options);
      await records.ensure();
      return records;
    },
    closed: async (): Promise<void> => {
      for (const { close } of opened) await close();
      const topics = new Set(opened.splice(0).map(({ topic }) => topic));
      await withAdmin(async (admin) => {
        const there = (await admin.listTopics()).filter((topic) => topics.has(topic));
        if (there.length > 0) await admin.deleteTopics({ topics: there });
      });
    },
  };
};

/** Waits until the broker serves consumer groups. A broker that has just started does so later than it serves topics; until then a consumer
 * has to be restarted. */
const groupsAnswer = (): Promise<void> =>
  until(() =>
    withAdmin((admin) => admin.fetchOffsets({ groupId: ownName('group') })).then(
      () => true,
      () => false,
    ),
  );

/** Waits until a condition holds, with a time limit that suits a busy machine. */
export const until = async (holds: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> => {
  const end = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Timed out waiting for: ${String(holds)}`);
    await pause(20);
  }
};

export type Consumed = {
  /** All delivered records, in order within each partition. */
  readonly records: ReceivedRecord[];
  readonly positions: (partition: number) => number[];
  readonly assigned: () => readonly number[] | undefined;
  /** Settles when the consumption ends. */
  readonly ended: Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Consumes until it is stopped. */
export const startConsumption = (records: Opened, options: Partial<Consumption> = {}): Consumed => {
  const abort = new AbortController();
  const seen: ReceivedRecord[] = [];
  let own: readonly number[] | undefined;
  const ended = records.consume({
    group: ownName('group'),
    assigned: (partitions) => {
      own = partitions;
    },
    signal: abort.signal,
    ...options,
    handle: async (partition, batch) => {
      await options.handle?.(partition, batch);
      seen.push(...batch);
    },
  });
  ended.catch(() => undefined);
  return {
    records: seen,
    positions: (partition) => seen.filter((record) => record.partition === partition).map(({ position }) => position),
    assigned: () => own,
    ended,
    stop: async () => {
      abort.abort();
      await ended;
    },
  };
};
