import { urlOf } from '@waymark/test-engines/test-engines.ts';
import { type Collection, MongoClient } from 'mongodb';

/** How long a delete that conflicts with writes is repeated. */
const emptyWithinMs = 300_000;
/** What the names of the history's collections begin with. */
const historyPrefix = 'history.';

/** Deletes all documents of a database that processes use: those of the read models at once, then those of the history. A drop could meet an
 * open transaction: the engine of the tests then waits for it while it waits for the drop, for ever. A concurrent write conflicts with
 * the delete, which is then repeated at once: under load, a projector pauses for milliseconds only. Positions are deleted first: a process that
 * moves one does not conflict for long.
 * @param kept the collections that stay */
export const emptyDatabase = async (database: string, kept: readonly string[] = []): Promise<void> => {
  await withCollections(database, (client, all) =>
    emptyTogether(
      client,
      all.filter(({ collectionName }) => !kept.includes(collectionName) && !isOfHistory(collectionName)),
    ),
  );
  await emptyHistory(database);
};

/** Deletes everything of the history, one collection after the other: the history has so many rows that a transaction of them all would
 * nearly always conflict with a projector. Once the positions are gone, no projector writes to these collections. A delete outside of a transaction
 * could meet an open one as a drop could. */
export const emptyHistory = (database: string): Promise<void> =>
  withCollections(database, async (client, all) => {
    for (const collection of positionsFirst(all.filter(({ collectionName }) => isOfHistory(collectionName))))
      await emptyTogether(client, [collection]);
  });

const isOfHistory = (name: string): boolean => name.startsWith(historyPrefix);

const withCollections = async (
  database: string,
  use: (client: MongoClient, all: readonly Collection[]) => Promise<void>,
): Promise<void> => {
  const client = new MongoClient(urlOf('mongodb'));
  try {
    await use(client, await client.db(database).collections());
  } finally {
    await client.close();
  }
};

const positionsFirst = (collections: readonly Collection[]): readonly Collection[] =>
  collections.toSorted((a, b) => Number(isPositions(b)) - Number(isPositions(a)));

const isPositions = ({ collectionName }: Collection): boolean => collectionName.endsWith('.position');

/** Deletes the documents of collections in one transaction, and begins again at once after each conflict. */
const emptyTogether = async (client: MongoClient, collections: readonly Collection[]): Promise<void> => {
  const untilMs = performance.now() + emptyWithinMs;
  for (;;) {
    const session = client.startSession();
    try {
      session.startTransaction();
      for (const collection of positionsFirst(collections)) await collection.deleteMany({}, { session });
      await session.commitTransaction();
      return;
    } catch (error) {
      if (performance.now() > untilMs) throw error;
    } finally {
      await session.endSession();
    }
  }
};
