import type { Cluster } from 'kafkajs';
import type { Tail } from '../broker.ts';
import type { KafkaAddress } from './client.ts';
import { asked, lastBetween, offsets, partitionsOf } from './last-records.ts';
import type { Topic } from './topic.ts';
import type { Trust } from './trust.ts';

/** Where the partitions end, and whether one of them has had a record of ours since. Reads the end of one partition, where its records are
 * ours. @throws BrokerUnavailable */
export const createTail = (address: KafkaAddress, topic: Topic, trust: Trust, since: Tail | undefined): Promise<Tail> =>
  asked(address, topic, async (cluster) => {
    const ends = await offsets(cluster, topic.topic, partitionsOf(topic.partitions), false);
    return { ends, isNew: since !== undefined && (await hasNew(cluster, topic, trust, since.ends, ends)) };
  });

/** Installations that the records name which have come since; ours, where it is one of them. @throws BrokerUnavailable */
export const namedSince = (address: KafkaAddress, topic: Topic, signer: Trust['signer'], since: Tail): Promise<readonly string[]> =>
  asked(address, topic, async (cluster) => {
    const ends = await offsets(cluster, topic.topic, partitionsOf(topic.partitions), false);
    const named = new Set<string>();
    for (const [partition, end] of ends) {
      const start = since.ends.get(partition);
      if (start === undefined || end <= start) continue;
      const { foreign } = await lastBetween(cluster, { topic: topic.topic, partition, start, end }, { signer, installation: nobody });
      for (const installation of foreign) named.add(installation);
    }
    return [...named];
  });

/** To whom every record is foreign. */
const nobody = '';

const hasNew = async (cluster: Cluster, { topic }: Topic, trust: Trust, before: Tail['ends'], ends: Tail['ends']): Promise<boolean> => {
  for (const [partition, end] of ends) {
    const start = before.get(partition);
    // A topic that was made again begins at 0: its records are compared the next time.
    if (start === undefined || end <= start) continue;
    const { record } = await lastBetween(cluster, { topic, partition, start, end }, trust);
    if (record !== undefined) return true;
  }
  return false;
};
