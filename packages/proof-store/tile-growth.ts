import { type Growth, type PlacedLeaf, type TileKey, tileLevels, tileNodes } from './proof-store.ts';

// Shared by the adapters: how a growth extends the rows of a store. Texts are stored: never change their forms.

const hashBytes = 32;

/** New nodes of one tile. `from`: the number of nodes that the tile must have before. `leaves`: the events of these nodes, on level 0. */
export type GrownTile = TileKey & {
  readonly account: string;
  readonly from: number;
  readonly hashes: Buffer[];
  readonly leaves: StoredLeaf[];
};

/** The event of a leaf as the text of a tile has it. */
export type StoredLeaf = readonly [stream: string, revision: number];

/** New leaves of `tileNodes` neighbouring revisions of a stream. */
export type GrownPage = { readonly account: string; readonly stream: string; readonly page: number; readonly places: StoredPlace[] };

/** The place of an event in its account's tree as the text of a page has it. */
export type StoredPlace = readonly [revision: number, index: number];

export const tileOf = (index: number): number => Math.floor(index / tileNodes);

/** Returns the tiles that a growth extends. */
export const grownTiles = ({ leaves, nodes }: Pick<Growth, 'leaves' | 'nodes'>): readonly GrownTile[] => {
  const tiles = new Map<string, GrownTile>();
  for (const { account, level, index, hash } of nodes) {
    if (level % tileLevels !== 0) continue;
    const key = `${account} ${level} ${tileOf(index)}`;
    const tile = tiles.get(key) ?? { account, level, index: tileOf(index), from: index % tileNodes, hashes: [], leaves: [] };
    tiles.set(key, tile);
    if (index % tileNodes !== tile.from + tile.hashes.length) throw new RangeError(`The nodes of a growth are not in order at ${key}.`);
    tile.hashes.push(hash);
  }
  for (const { account, index, stream, revision } of leaves) {
    const tile = tiles.get(`${account} 0 ${tileOf(index)}`);
    if (tile === undefined || index % tileNodes !== tile.from + tile.leaves.length)
      throw new RangeError(`The leaf ${index} of a growth has no node of its own.`);
    tile.leaves.push([stream, revision]);
  }
  return [...tiles.values()];
};

/** Returns the pages of streams that a growth extends. */
export const grownPages = (leaves: readonly PlacedLeaf[]): readonly GrownPage[] => {
  const pages = new Map<string, GrownPage>();
  for (const { account, index, stream, revision } of leaves) {
    const page = tileOf(revision);
    const key = `${account} ${stream} ${page}`;
    const grown = pages.get(key) ?? { account, stream, page, places: [] };
    pages.set(key, grown);
    grown.places.push([revision, index]);
  }
  return [...pages.values()];
};

/** A tile as a store has it. `leaves`: the text of a list; empty above level 0. */
export type StoredTile = { readonly hashes: Buffer; readonly leaves: string };

/** The store lacks nodes that it must have: rows were lost. */
export class MissingNodes extends Error {}

/** Returns a tile with its new nodes.
 * @throws MissingNodes */
export const extendedTile = (stored: StoredTile | undefined, { from, hashes, leaves }: GrownTile): StoredTile => {
  const before = stored?.hashes ?? Buffer.alloc(0);
  if (before.length !== from * hashBytes) throw new MissingNodes('The proof store lacks nodes: it must be filled again.');
  return { hashes: Buffer.concat([before, ...hashes]), leaves: leaves.length === 0 ? '' : withItems(stored?.leaves, leaves) };
};

/** Returns whether new places begin their page: then the store has no text of it. */
export const beginsPage = ({ places: [first] }: GrownPage): boolean => first !== undefined && first[0] % tileNodes === 0;

/** Returns the text of a page with new places. */
export const extendedPage = (stored: string | undefined, { places }: GrownPage): string => withItems(stored, places);

/** Returns the text of a list with further items. The text before is that of a list with items, if there is one: it is not parsed. */
const withItems = (stored: string | undefined, items: readonly (StoredLeaf | StoredPlace)[]): string => {
  const added = JSON.stringify(items);
  return stored === undefined || stored === '' ? added : `${stored.slice(0, -1)},${added.slice(1)}`;
};

/** Returns the leaves of tiles.
 * @param tiles the texts of neighbouring tiles of an account, from the tile that has the leaf `from` */
export const leavesIn = (account: string, from: number, tiles: readonly string[]): readonly PlacedLeaf[] => {
  const first = tileOf(from) * tileNodes;
  const stored = tiles.flatMap((text) => JSON.parse(text) as readonly StoredLeaf[]);
  return stored.map(([stream, revision], nth) => ({ account, index: first + nth, stream, revision })).slice(from - first);
};

/** Returns the leaves of pages of a stream whose revisions are not below one. */
export const leavesInPages = (account: string, stream: string, from: number, pages: readonly string[]): readonly PlacedLeaf[] =>
  pages
    .flatMap((text) => JSON.parse(text) as readonly StoredPlace[])
    .flatMap(([revision, index]) => (revision < from ? [] : [{ account, index, stream, revision }]));
