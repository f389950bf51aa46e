import { timeoutOptions } from '@waymark/read-models/mongodb/client.ts';
import { callMs } from '@waymark/read-models/mongodb/limits.ts';
import { rootsIn } from '../checkpoint-roots.ts';
import { leavesMax, milestonesMax, type ProofReads, type StoredCheckpoint, tileNodes } from '../proof-store.ts';
import { leavesIn, leavesInPages, tileOf } from '../tile-growth.ts';
import { type CheckpointRow, type Collections, pageId, rootsId, tileId } from './collections.ts';
import { asProofsUnavailable } from './unavailable.ts';

/** Creates the reads of a store. Each is one query, or two. */
export const mongoReads = ({ tile, page, checkpoint, roots }: Collections): ProofReads => {
  const tileRows = async <Name extends 'hashes' | 'leaves'>(ids: readonly string[], name: Name) => {
    const rows = await tile.find({ _id: { $in: ids } }, { projection: { [name]: 1 }, ...timeoutOptions(callMs) }).toArray();
    const byId = new Map(rows.map((row) => [row._id, row[name]]));
    return ids.map((id) => byId.get(id));
  };
  const reads: ProofReads = {
    latest: async () => {
      const [row] = await checkpoint.find({}, { sort: { _id: -1 }, limit: 1, ...timeoutOptions(callMs) }).toArray();
      return row && toCheckpoint(row);
    },
    checkpoints: async (origin, numbers) => {
      const filter = { origin: { $eq: origin }, number: { $in: [...numbers] } };
      const rows = await checkpoint.find(filter, { sort: { number: 1 }, ...timeoutOptions(callMs) }).toArray();
      return rows.map(toCheckpoint);
    },
    milestones: async () => {
      const options = { sort: { _id: -1 }, limit: milestonesMax, ...timeoutOptions(callMs) } as const;
      return (await checkpoint.find({ milestone: { $eq: true } }, options).toArray()).reverse().map(toCheckpoint);
    },
    roots: async (sequence) => {
      const row = await checkpoint.findOne({ _id: { $eq: sequence } }, { projection: { base: 1 }, ...timeoutOptions(callMs) });
      return row === null ? [] : rootsIn(await readRoots(roots, row.base, sequence));
    },
    tiles: async (account, keys) => {
      const found = await tileRows(
        keys.map(({ level, index }) => tileId(account, level, index)),
        'hashes',
      );
      return found.map((hashes) => hashes && Buffer.from(hashes.buffer));
    },
    leaves: async (account, from) => {
      const ids = Array.from({ length: rowsTogether }, (_, nth) => tileId(account, 0, tileOf(from) + nth));
      return leavesIn(account, from, known(await tileRows(ids, 'leaves')));
    },
    leavesOf: async (account, stream, from) => {
      const ids = Array.from({ length: rowsTogether }, (_, nth) => pageId(account, stream, tileOf(from) + nth));
      const rows = await page.find({ _id: { $in: ids } }, timeoutOptions(callMs)).toArray();
      const byId = new Map(rows.map(({ _id, places }) => [_id, places]));
      return leavesInPages(account, stream, from, known(ids.map((id) => byId.get(id))));
    },
  };
  return {
    latest: () => asProofsUnavailable(reads.latest),
    checkpoints: (...of) => asProofsUnavailable(() => reads.checkpoints(...of)),
    milestones: () => asProofsUnavailable(reads.milestones),
    roots: (sequence) => asProofsUnavailable(() => reads.roots(sequence)),
    tiles: (...of) => asProofsUnavailable(() => reads.tiles(...of)),
    leaves: (...of) => asProofsUnavailable(() => reads.leaves(...of)),
    leavesOf: (...of) => asProofsUnavailable(() => reads.leavesOf(...of)),
  };
};

const rowsTogether = leavesMax / tileNodes;

/** Returns the texts of the roots that were stored with checkpoints, in order. */
export const readRoots = async (
  roots: Collections['roots'],
  from: number,
  through: number,
  at: object = timeoutOptions(callMs),
): Promise<readonly string[]> => {
  const filter = { _id: { $gte: rootsId(from, 0), $lt: rootsId(through + 1, 0) } };
  return (await roots.find(filter, { sort: { _id: 1 }, ...at }).toArray()).map((row) => row.roots);
};

const toCheckpoint = ({ _id: sequence, origin, number, note, announces, incarnation, through }: CheckpointRow): StoredCheckpoint => ({
  ...{ sequence, origin, number, note, announces, incarnation, through },
});

/** Returns the values before the first one that is missing. */
const known = (values: readonly (string | undefined)[]): readonly string[] => {
  const end = values.indexOf(undefined);
  return values.slice(0, end < 0 ? undefined : end) as readonly string[];
};
