import { createHash } from 'node:crypto';
import type { MongoClient } from 'mongodb';
import { ReadModelsUnavailable, type ReadPosition } from '../../read-models.ts';
import { orUnavailable, timeoutOptions } from '../client.ts';
import type { Collections, PositionRow } from '../collections.ts';
import { positionOf } from '../find.ts';
import { digestMs, digestTriesMax, rowsTogether } from '../limits.ts';
import { type At, rowsOf } from '../rows.ts';

/** The position of each partition, and the SHA-256 (hex) over all rows at that moment. Equal content has equal digests on every engine. */
export type Digest = {
  readonly positions: readonly (ReadPosition & { readonly partition: number })[];
  readonly rows: string;
};

/** @throws ReadModelsUnavailable, also where the content changed during every attempt on a server that keeps no snapshots */
export const createDigest = async (client: MongoClient, collections: Collections): Promise<Digest> => {
  for (let tries = 1; tries <= digestTriesMax; tries += 1) {
    const hash = createHash('sha256');
    const positions = await rowsAtOnce(client, collections, (row) => hash.update(row).update('\n'));
    if (positions) return { positions, rows: hash.digest('hex') };
  }
  throw new ReadModelsUnavailable('The read models changed while they were read.');
};

/** Passes every row as JSON text, in the order of `sqliteRows`, all from one moment. Returns undefined where that failed, because the
 * server does not keep the snapshot and a step was applied meanwhile. The rows that were passed are invalid then.
 * @throws ReadModelsUnavailable */
export const rowsAtOnce = (
  client: MongoClient,
  collections: Collections,
  take: (row: string) => void,
): Promise<Digest['positions'] | undefined> =>
  orUnavailable(async () => {
    const session = client.startSession({ snapshot: true });
    try {
      // Repeated here: the driver would send the client's own read concern even in a snapshot session.
      const at = { session, readConcern: { level: 'snapshot' }, batchSize: rowsTogether, ...timeoutOptions(digestMs) } as const;
      const before = await positionsOf(collections, at);
      for await (const row of rowsOf(collections, at)) take(JSON.stringify(row));
      const after = await positionsOf(collections, at);
      return JSON.stringify(before) === JSON.stringify(after) ? before : undefined;
    } finally {
      void session.endSession().catch(() => undefined);
    }
  });

const positionsOf = async ({ position }: Collections, at: At): Promise<Digest['positions']> => {
  const rows: PositionRow[] = await position.find({}, { ...at, sort: { _id: 1 } }).toArray();
  if (rows.length === 0) throw new ReadModelsUnavailable('The read models have no position yet.');
  return rows.map((row) => ({ partition: row._id, ...positionOf(row) }));
};
