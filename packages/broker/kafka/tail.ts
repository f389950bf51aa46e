import type { Cluster } from 'kafkajs';
import type { Tail } from '../broker.ts';
import type { KafkaAddress } from './client.ts';
import { lastBetween, offsets, partitionsOf, queryCluster } from './last-records.ts';
import type { Topic } from './topic.ts';
import type { Trust } from './trust.ts';

/** Returns the ends of the partitions, and whether one of them has received a record of this installation since. It reads the end of only
 * one partition if the records there are this installation's.
 * @throws BrokerUnavailable */
export const readTail = (address: KafkaAddress, topic: Topic, trust: Trust, since: Tail | undefined): Promise<Tail> =>
  queryCluster(address, topic, async (cluster) => {
    const ends = await offsets(cluster, topic.topic, partitionsOf(topic.partitions), false);
    return { ends, isNew: since !== undefined && (await hasNew(cluster, topic, trust, since.ends, ends)) };
  });

/** Returns the installations that later records name, this one included.
 * @throws BrokerUnavailable */
export const namedSince = (address: KafkaAddress, topic: Topic, signer: Trust['signer'], since: Tail): Promise<readonly string[]> =>
  queryCluster(address, topic, async (cluster) => {
    const ends = await offsets(cluster, topic.topic, partitionsOf(topic.partitions), false);
    const named = new Set<string>();
    for (const [partition, end] of ends) {
      const start = since.ends.get(partition);
      if (start === undefined || end <= start) continue;
      const { foreign } = await lastBetween(
        cluster,
        { topic: topic.topic, partition, start, end },
        { signer, installation: noInstallation },
      );
      for (const installation of foreign) named.add(installation);
    }
    return [...named];
  });

/** An installation for which every record is foreign. */
const noInstallation = '';

const hasNew = async (cluster: Cluster, { topic }: Topic, trust: Trust, before: Tail['ends'], ends: Tail['ends']): Promise<boolean> => {
  for (const [partition, end] of ends) {
    const start = before.get(partition);
    // A topic that was created again starts at 0: its records are compared at the next call.
    if (start === undefined || end <= start) continue;
    const { record } = await lastBetween(cluster, { topic, partition, start, end }, trust);
    if (record !== undefined) return true;
  }
  return false;
};
