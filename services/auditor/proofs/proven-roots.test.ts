import { type AccountRoot, createAccountMap, verifiesAccount } from '@waymark/proof/account-map.ts';
import { checkpointText } from '@waymark/proof/checkpoint.ts';
import { leafHash } from '@waymark/proof/hashes.ts';
import { ProofsUnavailable, type StoredCheckpoint } from '@waymark/proof-store/proof-store.ts';
import { signerOf } from '@waymark/proof-store/testing/notary.ts';
import { mapAccountsMax, mapsMax } from './limits.ts';
import { createProvenRoots } from './proven-roots.ts';

const origin = 'waymark/a/b';
const accounts = ['a', 'b', 'c'].map((account, nth): AccountRoot => ({ account, size: nth + 1, root: leafHash(account) }));
const map = createAccountMap(accounts);

const checkpoint = (number: number, size = map.size): StoredCheckpoint => {
  const previous = number === 1 ? null : leafHash('x').toString('base64');
  const time = '2026-11-25T10:00:00.000Z';
  const text = checkpointText({ origin, size, root: map.root, number, time, previous, continues: null, key: null });
  return { sequence: number, origin, number, note: signerOf(1).sign(text), announces: false, incarnation: 'log', through: number };
};

/** Counts how often the roots are read. */
const counting = (roots: readonly AccountRoot[] = accounts) => {
  const read: number[] = [];
  const provenRoots = createProvenRoots({
    roots: async (sequence) => {
      read.push(sequence);
      return roots;
    },
  });
  return { provenRoots, read };
};

describe('the trees of accounts at checkpoints', () => {
  it('have their places in the map, which is read once for each checkpoint', async () => {
    const { provenRoots, read } = counting();
    for (const { account, size, root } of accounts) {
      const proven = await provenRoots(account, checkpoint(1));
      expect(proven).toMatchObject({ size, checkpoint: checkpoint(1).note });
      expect(proven && verifiesAccount({ account, size, root }, proven, map)).toBe(true);
    }
    expect(await provenRoots('d', checkpoint(1))).toBeUndefined();
    expect(read).toEqual([1]);
  });

  it(`are of the last ${mapsMax} checkpoints that were asked for: earlier maps are read again`, async () => {
    const { provenRoots, read } = counting();
    for (const number of [1, 2, 1, 3, 1, 2]) await provenRoots('a', checkpoint(number));
    expect(read).toEqual([1, 2, 3, 2]);
  });

  it.each([
    ['has another account', [...accounts, { account: 'd', size: 1, root: leafHash('d') }]],
    ['lacks an account', accounts.slice(1)],
    ['has another size', accounts.with(0, { account: 'a', size: 9, root: leafHash('a') })],
  ])('are unavailable while the store %s, and read again then', async (_, roots) => {
    const { provenRoots, read } = counting(roots);
    await expect(provenRoots('b', checkpoint(1))).rejects.toThrow(ProofsUnavailable);
    await expect(provenRoots('b', checkpoint(1))).rejects.toThrow('contradicts checkpoint 1');
    expect(read).toEqual([1, 1]);
  });

  it('are not read if there are too many accounts', async () => {
    const { provenRoots, read } = counting();
    await expect(provenRoots('a', checkpoint(1, mapAccountsMax + 1))).rejects.toThrow(`at most ${mapAccountsMax}`);
    expect(read).toEqual([]);
  });
});
