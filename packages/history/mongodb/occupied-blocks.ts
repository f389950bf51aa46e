import type { HistoryReads, Walk } from '../history.ts';
import { isOccupied, spanSizes } from '../spans.ts';
import { blocksTogether } from './limits.ts';
import type { Snapshot } from './snapshot.ts';

/** A part of a walk over ids. Nothing is to be found in it where `through` is missing. */
export type WalkPart = { readonly beyond: number; readonly through?: number };

/** Finds the blocks of ids in which something may have been in a set at a position. */
export type OccupiedBlocks = {
  /** Returns the next part of the walk beyond an id; null where nothing is left. */
  readonly beyond: (id: number) => Promise<WalkPart | null>;
  /** The number of index entries that were read. */
  readonly reads: () => number;
};

const [small, large] = spanSizes;

/** The order of a walk. */
const orders = { forward: ['$gte', '$lt', 1], backward: ['$lte', '$gt', -1] } as const;

type Ends = { readonly from: number; readonly before?: number };

export const createOccupiedBlocks = (
  { find }: Snapshot,
  set: Parameters<HistoryReads['itemsAt']>[0],
  { at, direction }: Pick<Walk, 'at' | 'direction'>,
): OccupiedBlocks => {
  const [from, before, order] = orders[direction];
  let loaded: { readonly outer: number; readonly blocks: readonly number[] } | undefined;
  let reads = 0;
  const spans = async (size: number, ends: Ends) => {
    const block = { [from]: ends.from, ...(ends.before === undefined ? {} : { [before]: ends.before }) };
    const options = { sort: { block: order }, limit: blocksTogether, batchSize: blocksTogether + 1 } as const;
    const rows = await find('span', { within: set, size, block }, options);
    reads += Math.max(1, rows.length);
    return rows;
  };
  /** Returns the occupied small blocks of a large one, from one on. */
  const within = async (outer: number, first: number): Promise<readonly number[]> => {
    const rows = await spans(small, { from: first, before: (outer + (order + 1) / 2) * (large / small) - (1 - order) / 2 });
    return rows.filter((row) => isOccupied(row, at)).map(({ block }) => block);
  };
  /** Returns the end of what precedes the next occupied large block. */
  const nextOuter = async (outer: number): Promise<WalkPart | null> => {
    const rows = await spans(large, { from: outer + order });
    const next = rows.find((row) => isOccupied(row, at)) ?? (rows.length === blocksTogether ? rows.at(-1) : undefined);
    return next === undefined ? null : { beyond: edgeOf(next.block, large) };
  };
  /** Returns the id before the first one of a block, in the direction of the walk. */
  const edgeOf = (block: number, size: number): number => (direction === 'forward' ? block * size - 1 : (block + 1) * size);
  const partOf = (id: number, blocks: readonly number[], first: number): WalkPart => {
    let last = first;
    for (const block of blocks) if (block === last + order) last = block;
    const edge = edgeOf(first, small);
    const beyond = direction === 'forward' ? Math.max(id, edge) : Math.min(id, edge);
    return { beyond, through: direction === 'forward' ? (last + 1) * small - 1 : last * small };
  };
  return {
    reads: () => reads,
    beyond: async (id) => {
      const next = id + order;
      const [outer, own] = [Math.floor(next / large), Math.floor(next / small)];
      if (loaded?.outer !== outer) loaded = { outer, blocks: await within(outer, own) };
      const ahead = loaded.blocks.filter((block) => (direction === 'forward' ? block >= own : block <= own));
      const [first] = ahead;
      return first === undefined ? nextOuter(outer) : partOf(id, ahead, first);
    },
  };
};
