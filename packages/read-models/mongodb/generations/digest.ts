import { createHash } from 'node:crypto';
import type { Collection, MongoClient } from 'mongodb';
import { ReadModelsUnavailable, type ReadPosition } from '../../read-models.ts';
import { orUnavailable, timeoutOptions } from '../client.ts';
import type { PositionRow } from '../collections.ts';
import { positionOf } from '../find.ts';
import { digestMs, digestTriesMax, rowsTogether } from '../limits.ts';
import type { At } from '../rows.ts';

/** The position of each partition, and the SHA-256 (hex) over all rows at that moment. Equal content has equal digests on every engine. */
export type Digest = {
  readonly positions: readonly (ReadPosition & { readonly partition: number })[];
  readonly rows: string;
};

/** What is digested: the position of each partition, and all rows, in an order that is the same on every engine. */
export type Digested = { readonly position: Collection<PositionRow>; readonly rows: (at: At) => AsyncIterable<readonly unknown[]> };

/** @throws ReadModelsUnavailable, also where the content changed during every attempt on a server that keeps no snapshots */
export const createDigest = async (client: MongoClient, digested: Digested): Promise<Digest> => {
  for (let tries = 1; tries <= digestTriesMax; tries += 1) {
    const hash = createHash('sha256');
    const positions = await rowsAtOnce(client, digested, (row) => hash.update(row).update('\n'));
    if (positions) return { positions, rows: hash.digest('hex') };
  }
  throw new ReadModelsUnavailable('The rows changed while they were read.');
};

/** Passes every row as JSON text, all from one moment. Returns undefined where that failed, because the
 * server does not keep the snapshot and a step was applied meanwhile. The rows that were passed are invalid then.
 * @throws ReadModelsUnavailable */
export const rowsAtOnce = (
  client: MongoClient,
  { position, rows }: Digested,
  take: (row: string) => void,
): Promise<Digest['positions'] | undefined> =>
  orUnavailable(async () => {
    const session = client.startSession({ snapshot: true });
    try {
      // Repeated here: the driver would send the client's own read concern even in a snapshot session.
      const at = { session, readConcern: { level: 'snapshot' }, batchSize: rowsTogether, ...timeoutOptions(digestMs) } as const;
      const before = await positionsOf(position, at);
      for await (const row of rows(at)) take(JSON.stringify(row));
      const after = await positionsOf(position, at);
      return JSON.stringify(before) === JSON.stringify(after) ? before : undefined;
    } finally {
      void session.endSession().catch(() => undefined);
    }
  });

const positionsOf = async (position: Digested['position'], at: At): Promise<Digest['positions']> => {
  const rows: PositionRow[] = await position.find({}, { ...at, sort: { _id: 1 } }).toArray();
  if (rows.length === 0) throw new ReadModelsUnavailable('The read models have no position yet.');
  return rows.map((row) => ({ partition: row._id, ...positionOf(row) }));
};
