import fc from 'fast-check';
import { type AccountRoot, createAccountMap, verifiesAccount } from './account-map.ts';
import { leafHash } from './hashes.ts';
import { publishedRoots } from './testing/published-tree.ts';

const someAccounts = (count: number): readonly AccountRoot[] =>
  Array.from({ length: count }, (_, nth) => ({
    account: leafHash(`${nth}`).toString('hex').slice(32),
    size: nth + 1,
    root: leafHash(`root ${nth}`),
  }));

describe('the map of accounts', () => {
  it('has a path for each account, and for no other', () => {
    const accounts = someAccounts(37);
    const map = createAccountMap(accounts);
    for (const account of accounts) {
      const path = map.pathOf(account.account);
      if (path === undefined) throw new Error('the account has no path');
      expect(verifiesAccount(account, path, map)).toBe(true);
      expect(verifiesAccount({ ...account, size: account.size + 1 }, path, map)).toBe(false);
      expect(verifiesAccount({ ...account, root: leafHash('other') }, path, map)).toBe(false);
      expect(verifiesAccount({ ...account, account: `${account.account}0` }, path, map)).toBe(false);
      expect(verifiesAccount(account, { ...path, index: path.index + 1 }, map)).toBe(false);
    }
    expect(map.pathOf('nobody')).toBeUndefined();
  });

  it('is the same in whatever order the accounts come', () => {
    const accounts = someAccounts(20);
    const { root } = createAccountMap(accounts);
    fc.assert(
      fc.property(fc.shuffledSubarray([...accounts], { minLength: 20 }), (shuffled) => createAccountMap(shuffled).root.equals(root)),
    );
  });

  it('is the empty tree without accounts', () => {
    expect(createAccountMap([]).root.toString('hex')).toBe(publishedRoots[0]);
  });

  it('has paths of 14 hashes at 10,000 accounts', () => {
    const accounts = someAccounts(10_000);
    const map = createAccountMap(accounts);
    expect(Math.max(...accounts.map(({ account }) => map.pathOf(account)?.path.length ?? 0))).toBe(14);
  });
});
