import type { AccountRoot } from '@waymark/proof/account-map.ts';
import type { SignedCheckpoint } from './proof-store.ts';

// Shared by the adapters. A checkpoint is stored with the roots of the accounts that grew since the one before; now and then with those of all
// accounts, so that the map at any checkpoint is read from at most twice as many roots as there are accounts. Texts are stored: never change
// their form.

/** Accounts whose roots are stored in one row. */
const pageRoots = 256;

/** What a store keeps of its last checkpoint to add the next one. `base`: the sequence of the last one with the roots of all accounts, whose
 * number is `accounts`. `changed`: the number of roots that were stored after it. */
export type RootsState = { readonly base: number; readonly accounts: number; readonly changed: number };

export type AddedRoots = RootsState & { readonly pages: readonly string[] };

/** Returns whether the next checkpoint is stored with the roots of all accounts. */
export const isBase = (last: RootsState | undefined, grown: readonly AccountRoot[]): boolean =>
  last === undefined || last.changed + grown.length >= last.accounts;

/** Returns what is stored with the next checkpoint.
 * @param last undefined for the first one
 * @param grown the roots of the accounts that grew
 * @param all the roots at the last checkpoint, if `isBase` */
export const addedRoots = (
  sequence: number,
  last: RootsState | undefined,
  grown: readonly AccountRoot[],
  all: readonly AccountRoot[],
): AddedRoots => {
  if (last !== undefined && !isBase(last, grown)) return { ...last, changed: last.changed + grown.length, pages: pagesOf(grown) };
  const merged = latestRoots([...all, ...grown]);
  return { base: sequence, accounts: merged.length, changed: 0, pages: pagesOf(merged) };
};

/** Returns whether a store whose last checkpoint is `last` may add another one. */
export const isNext = (last: Pick<SignedCheckpoint, 'origin' | 'number'> | undefined, { origin, number }: SignedCheckpoint): boolean =>
  last?.origin !== origin || number === last.number + 1;

type StoredRoot = readonly [account: string, size: number, root: string];

const pagesOf = (roots: readonly AccountRoot[]): readonly string[] => {
  const pages: string[] = [];
  for (let from = 0; from < roots.length; from += pageRoots) {
    const stored = roots
      .slice(from, from + pageRoots)
      .map(({ account, size, root }): StoredRoot => [account, size, root.toString('base64')]);
    pages.push(JSON.stringify(stored));
  }
  return pages;
};

/** Returns the last root of each account in pages, which are in the order in which they were stored. */
export const rootsIn = (pages: readonly string[]): readonly AccountRoot[] =>
  latestRoots(
    pages.flatMap((text) =>
      (JSON.parse(text) as readonly StoredRoot[]).map(([account, size, root]) => ({ account, size, root: Buffer.from(root, 'base64') })),
    ),
  );

const latestRoots = (roots: readonly AccountRoot[]): readonly AccountRoot[] => [
  ...new Map(roots.map((root) => [root.account, root])).values(),
];
