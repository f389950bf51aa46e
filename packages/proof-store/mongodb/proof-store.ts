import { createMongoClient, type MongoConnection, timeoutOptions } from '@waymark/read-models/mongodb/client.ts';
import { callMs, schemaMs } from '@waymark/read-models/mongodb/limits.ts';
import { namespaceIn } from '@waymark/read-models/mongodb/namespace.ts';
import { inPieces } from '@waymark/read-models/mongodb/pieces.ts';
import { OvertakenTransaction, type TransactionContext, transactions } from '@waymark/read-models/mongodb/transactions.ts';
import { Binary } from 'mongodb';
import { addedRoots, isBase, isNext, rootsIn } from '../checkpoint-roots.ts';
import type { Growth, ProofStore, StorePosition } from '../proof-store.ts';
import { extendedPage, extendedTile, type GrownPage, type GrownTile, grownPages, grownTiles, MissingNodes } from '../tile-growth.ts';
import { clear } from './clear.ts';
import { type Collections, pageId, proofCollections, proofPrefix, rootsId, tileId } from './collections.ts';
import { writeMs } from './limits.ts';
import { mongoReads, readRoots } from './reads.ts';
import { asProofsUnavailable } from './unavailable.ts';

export type MongoProofStoreOptions = MongoConnection & {
  /** The database of the read models. The proof store is beside them. */
  readonly database: string;
};

export type MongoProofStore = ProofStore & {
  /** Creates the index. The process that writes calls it at its start.
   * @throws ProofsUnavailable */
  readonly ensure: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Opens the proof store in MongoDB, a replica set, and connects with the first call. Every call settles within a time limit.
 * @throws the driver's error where the connection string is wrong: it may quote the string */
export const openMongoProofStore = ({ url, ca, database }: MongoProofStoreOptions): MongoProofStore => {
  const client = createMongoClient({ url, ca });
  const collections = proofCollections(namespaceIn(client.db(database), proofPrefix));
  const inTransaction = transactions(client);
  return {
    ...mongoReads(collections),
    position: () => asProofsUnavailable(() => readPosition(collections, timeoutOptions(callMs))),
    apply: (growth) =>
      asProofsUnavailable(async () => {
        try {
          return await inTransaction(writeMs, (at) => apply(collections, growth, at));
        } catch (error) {
          if (!(error instanceof MissingNodes)) throw error;
          await clear(collections, inTransaction);
          return false;
        }
      }),
    noteCheckpoint: (...noted) => asProofsUnavailable(() => inTransaction(writeMs, (at) => note(collections, noted, at))),
    clear: () => asProofsUnavailable(() => clear(collections, inTransaction)),
    ensure: () =>
      asProofsUnavailable(async () => {
        const unique = { name: 'of_origin', key: { origin: 1, number: 1 }, unique: true };
        const marked = { name: 'milestones', key: { milestone: 1, _id: 1 } };
        await collections.checkpoint.createIndexes([unique, marked], { ...timeoutOptions(schemaMs) });
      }),
    close: () => client.close(true),
  };
};

const readPosition = async ({ position }: Collections, at: object): Promise<StorePosition | undefined> =>
  (await position.findOne({ _id: { $eq: 0 } }, { projection: { _id: 0, incarnation: 1, position: 1 }, ...at })) ?? undefined;

const apply = async (collections: Collections, growth: Growth, at: TransactionContext): Promise<boolean> => {
  if (!(await move(collections, growth, at))) return false;
  await extendTiles(collections, grownTiles(growth), at);
  await extendPages(collections, grownPages(growth.leaves), at);
  return true;
};

/** Moves the position before all other writes: of two concurrent writers one fails here. */
const move = async (collections: Collections, { after, incarnation, to }: Growth, at: TransactionContext): Promise<boolean> => {
  const filter = { _id: { $eq: 0 as const }, position: { $eq: after }, incarnation: { $eq: incarnation } };
  const { matchedCount } = await collections.position.updateOne(filter, { $set: { position: to } }, { ...at });
  if (matchedCount > 0) return true;
  if (after !== 0 || (await readPosition(collections, at)) !== undefined) return false;
  await collections.position.insertOne({ _id: 0, incarnation, position: to }, { ...at });
  return true;
};

const extendTiles = async ({ tile }: Collections, grown: readonly GrownTile[], at: TransactionContext): Promise<void> => {
  for (const piece of inPieces(grown)) {
    const ids = piece.map(({ account, level, index }) => tileId(account, level, index));
    const stored = new Map((await tile.find({ _id: { $in: ids } }, at).toArray()).map((row) => [row._id, row]));
    const puts = piece.map((one) => {
      const _id = tileId(one.account, one.level, one.index);
      const row = stored.get(_id);
      const { hashes, leaves } = extendedTile(row && { hashes: Buffer.from(row.hashes.buffer), leaves: row.leaves }, one);
      return putOf({ _id, hashes: new Binary(hashes), leaves }, row !== undefined);
    });
    await tile.bulkWrite(puts, { ordered: false, ...at });
  }
};

const extendPages = async ({ page }: Collections, grown: readonly GrownPage[], at: TransactionContext): Promise<void> => {
  for (const piece of inPieces(grown)) {
    const ids = piece.map((one) => pageId(one.account, one.stream, one.page));
    const stored = new Map((await page.find({ _id: { $in: ids } }, at).toArray()).map(({ _id, places }) => [_id, places]));
    const puts = piece.map((one) => {
      const _id = pageId(one.account, one.stream, one.page);
      const places = stored.get(_id);
      return putOf({ _id, places: extendedPage(places, one) }, places !== undefined);
    });
    await page.bulkWrite(puts, { ordered: false, ...at });
  }
};

/** Returns the write of a row: an insertion, which costs less than an upsert, unless it is stored. */
const putOf = <Row extends { readonly _id: string }>(document: Row, isStored: boolean) => {
  const { _id, ...replacement } = document;
  return isStored ? { replaceOne: { filter: { _id: { $eq: _id } }, replacement } } : { insertOne: { document } };
};

const note = async (
  collections: Collections,
  [checkpoint, grown]: Parameters<ProofStore['noteCheckpoint']>,
  at: TransactionContext,
): Promise<boolean> => {
  const { checkpoint: all, roots, position } = collections;
  const { origin, number, announces, incarnation, through, note } = checkpoint;
  const [last] = await all.find({}, { sort: { _id: -1 }, limit: 1, ...at }).toArray();
  const reached = await readPosition(collections, at);
  if (reached?.incarnation !== incarnation || reached.position < through || !isNext(last, checkpoint)) return false;
  // Conflicts with a process that clears the store, which deletes the position first.
  const { matchedCount } = await position.updateOne({ _id: { $eq: 0 } }, { $set: { incarnation } }, { ...at });
  if (matchedCount === 0) throw new OvertakenTransaction('Another process has cleared the proof store.');
  const sequence = (last?._id ?? 0) + 1;
  const before = last !== undefined && isBase(last, grown) ? rootsIn(await readRoots(roots, last.base, last._id, at)) : [];
  const { pages, base, accounts, changed } = addedRoots(sequence, last, grown, before);
  const row = { _id: sequence, origin, number, note, announces, incarnation, through, base, accounts, changed, milestone: announces };
  await all.insertOne(row, { ...at });
  if (pages.length > 0)
    await roots.insertMany(
      pages.map((text, nth) => ({ _id: rootsId(sequence, nth), roots: text })),
      { ...at },
    );
  if (last !== undefined && last.origin !== origin)
    await all.updateOne({ _id: { $eq: last._id } }, { $set: { milestone: true } }, { ...at });
  return true;
};
