import { randomUUID } from 'node:crypto';
import { callMs } from '@waymark/read-models/mongodb/limits.ts';
import type { InTransaction, TransactionContext } from '@waymark/read-models/mongodb/transactions.ts';
import { ProofsUnavailable } from '../proof-store.ts';
import type { Collections } from './collections.ts';
import { clearedTogether } from './limits.ts';

/** Deletes all rows, in bounded steps. Meanwhile no growth matches. Of two processes that clear a store, only the last one continues: it
 * alone knows when the store may be filled again.
 * @throws ProofsUnavailable where another process clears the store */
export const clear = async ({ position, ...others }: Collections, inTransaction: InTransaction): Promise<void> => {
  const own = randomUUID();
  const clearing = { _id: { $eq: 0 as const }, incarnation: { $eq: own } };
  await inTransaction(callMs, (at) =>
    position.updateOne({ _id: { $eq: 0 } }, { $set: { incarnation: own, position: -1 } }, { upsert: true, ...at }),
  );
  const step = (run: (at: TransactionContext) => Promise<boolean>): Promise<boolean> =>
    inTransaction(callMs, async (at) => {
      const { matchedCount } = await position.updateOne(clearing, { $inc: { position: -1 } }, { ...at });
      if (matchedCount === 0) throw new ProofsUnavailable('Another process clears the proof store.');
      return run(at);
    });
  const { tile, page, checkpoint, roots } = others;
  const first = { limit: clearedTogether, projection: { _id: 1 } } as const;
  for (const rows of [tile, page, roots]) {
    const deleteSome = async (at: TransactionContext): Promise<boolean> => {
      const ids = (await rows.find({}, { ...first, ...at }).toArray()).map(({ _id }) => _id);
      if (ids.length > 0) await rows.deleteMany({ _id: { $in: ids } }, { ...at });
      return ids.length > 0;
    };
    while (await step(deleteSome));
  }
  const deleteCheckpoints = async (at: TransactionContext): Promise<boolean> => {
    const ids = (await checkpoint.find({}, { ...first, ...at }).toArray()).map(({ _id }) => _id);
    if (ids.length > 0) await checkpoint.deleteMany({ _id: { $in: ids } }, { ...at });
    return ids.length > 0;
  };
  while (await step(deleteCheckpoints));
  await inTransaction(callMs, (at) => position.deleteOne(clearing, { ...at }));
};
