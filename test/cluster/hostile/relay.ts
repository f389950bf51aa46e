import { openKafkaBroker } from '@waymark/broker/kafka/broker.ts';
import { relayLease } from '@waymark/cluster-runtime/installation-redis.ts';
import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { openEventStoreLog } from '@waymark/event-log/eventstoredb/event-log.ts';
import { openRedis } from '@waymark/redis/connection.ts';
import { createRelay } from '@waymark/relay/relay.ts';
import { urlOf } from '@waymark/test-engines/test-engines.ts';
import type { Random } from '../../crash/random.ts';
import type { Cluster } from '../setup/cluster.ts';
import { pidOf, signerOf } from '../setup/processes.ts';
import { until } from '../setup/until.ts';
import { faultyRecords, none, type RecordFault } from './mischief.ts';

const takenWithinMs = 300_000;
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined };

/** A relay as in the product, with a connection to Kafka on which records can be lost, delayed or reordered. */
export type HostileRelay = {
  /** Sets what happens to records from now on. */
  readonly setFault: (mischief: RecordFault) => void;
  /** Stops this relay and releases its lease. */
  readonly close: () => Promise<void>;
};

/** Takes the lease of the cluster's relay, which is on standby until this relay is closed. */
export const replaceRelay = async (cluster: Cluster, random: Random): Promise<HostileRelay> => {
  const { topic, prefix } = cluster.own;
  const log = openEventStoreLog({ url: urlOf('eventstore') });
  const { installation } = await log.state();
  const records = openKafkaBroker({
    brokers: urlOf('kafka').split(','),
    clientId: 'hostile',
    topic,
    signer: await signerOf(cluster),
    logger,
  });
  const redis = openRedis({ url: urlOf('redis'), logger });
  const pid = await pidOf(cluster, 'relay');
  process.kill(pid, 'SIGSTOP');
  const lease = relayLease({ redis, prefix, installation });
  try {
    await until('the lease of the relay is free', takenWithinMs, lease.holds);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  let mischief = none;
  const running = createRelay({
    log,
    records: faultyRecords(records, () => mischief, random),
    lease,
    partitions: partitionsOfCluster,
    logger,
  });
  return {
    setFault: (one) => {
      mischief = one;
    },
    close: async () => {
      await running.close();
      await lease.close();
      await Promise.allSettled([records.close(), log.close()]);
      redis.disconnect();
    },
  };
};
