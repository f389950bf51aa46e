import { hashFrom } from '@waymark/proof/hashes.ts';
import { eventLeaf } from '@waymark/proof/leaf.ts';
import { verifiesConsistency, verifiesInclusion } from '@waymark/proof/proofs.ts';
import { ProofsUnavailable } from '@waymark/proof-store/proof-store.ts';
import { account, edits, openProofHistory, type ProofHistory } from '../testing/proof-history.ts';
import type { ProofOptions } from './options.ts';

let history: ProofHistory;
beforeEach(async () => {
  history = await openProofHistory();
});
afterEach(() => history.close());

const get: ProofHistory['get'] = (...of) => history.get(...of);
const jsonOf = async (url: string) => JSON.parse((await get(url)).body as string);

const problem = (status: number, headers: object = {}) => expect.objectContaining({ status, headers });
const notCovered = problem(409, { 'Retry-After': '60' });

describe('before anything is covered', () => {
  it('says that there is no checkpoint', async () => {
    for (const path of ['checkpoints/latest', 'proofs/consistency?from=1', 'export', 'pinpoints/1/export'])
      await expect(get(`/audit/v1/${path}`)).rejects.toEqual(notCovered);
    await expect(get('/audit/v1/proofs/inclusion?kind=pinpoints&id=1&revision=0')).rejects.toEqual(notCovered);
  });

  it('says that the last checkpoint does not cover an account, an object or an event', async () => {
    await history.record(...edits(3));
    await history.follow();
    await history.notary.sign();
    await history.record({ pinpoint: 1, name: 'later' }, { pinpoint: 9, name: 'later' });
    await history.follow();
    await expect(get('/audit/v1/checkpoints/latest', { as: 'another' })).rejects.toEqual(notCovered);
    await expect(get('/audit/v1/proofs/inclusion?kind=pinpoints&id=1&revision=3')).rejects.toEqual(notCovered);
    await expect(get('/audit/v1/pinpoints/9/export')).rejects.toEqual(notCovered);
    await expect(get('/audit/v1/proofs/consistency?from=2')).rejects.toEqual(notCovered);
    await expect(get('/audit/v1/export?checkpoint=2')).rejects.toEqual(notCovered);
  });
});

describe('what does not exist', () => {
  beforeEach(async () => {
    await history.record(...edits(3));
    await history.follow();
    await history.notary.sign();
  });

  it.each([
    ['pinpoints/77/export', 404],
    ['places/1/export', 404],
    ['proofs/inclusion?kind=pinpoints&id=77&revision=0', 404],
    ['proofs/inclusion?kind=pinpoints&id=1&revision=5', 404],
    ['proofs/inclusion?kind=pinpoints', 400],
    ['proofs/consistency', 400],
    ['proofs/consistency?from=x', 400],
    ['proofs/consistency?from=2&to=1', 400],
    ['export?checkpoint=one', 400],
    [`export?checkpoint=${Array.from({ length: 21 }, (_, nth) => nth + 1)}`, 400],
    ['export?announcements=some', 400],
    ['export?cursor=made-up', 404],
  ])('%s: %d', async (path, status) => {
    await expect(get(`/audit/v1/${path}`)).rejects.toEqual(problem(status));
  });

  it("is refused if it is another account's", async () => {
    await history.record({ pinpoint: 500, name: 'x', of: 'another' });
    await history.follow();
    await history.notary.sign();
    await expect(get('/audit/v1/pinpoints/1/export', { as: 'another' })).rejects.toEqual(problem(403));
    await expect(get('/audit/v1/proofs/inclusion?kind=pinpoints&id=1&revision=0', { as: 'another' })).rejects.toEqual(problem(403));
  });
});

it('an earlier checkpoint that does not cover the account is not found', async () => {
  await history.record({ pinpoint: 500, name: 'x', of: 'another' });
  await history.follow();
  await history.notary.sign();
  await history.record(...edits(3));
  await history.follow();
  await history.notary.sign();
  for (const path of ['proofs/consistency?from=1', 'export?checkpoint=1'])
    await expect(get(`/audit/v1/${path}`)).rejects.toEqual(problem(404));
});

describe('the last checkpoint', () => {
  it("has the account's tree, and its place in the map", async () => {
    await history.record(...edits(5), { pinpoint: 500, name: 'x', of: 'another' });
    await history.follow();
    const { note } = await history.notary.sign();
    const { checkpoint, size, root, index, path } = await jsonOf('/audit/v1/checkpoints/latest');
    expect({ checkpoint, size, index }).toEqual({ checkpoint: note, size: 5, index: 1 });
    expect(hashFrom(root)).toEqual(history.notary.tree(account)?.root());
    expect(path).toHaveLength(1);
  });

  it('is not returned if the store contradicts it', async () => {
    await history.record(...edits(5));
    await history.follow();
    await history.notary.sign();
    const roots: ProofOptions['reads']['roots'] = async () => [{ account, size: 4, root: Buffer.alloc(32) }];
    await expect(get('/audit/v1/checkpoints/latest', { over: { reads: { ...history.store, roots } } })).rejects.toThrow(ProofsUnavailable);
  });

  it('is missing while a wiped store is filled', async () => {
    await history.record(...edits(5));
    await history.follow();
    await history.notary.sign();
    await history.store.clear();
    await expect(get('/audit/v1/checkpoints/latest')).rejects.toEqual(notCovered);
  });
});

describe('proofs', () => {
  it('of inclusion and consistency verify', async () => {
    await history.record(...edits(70));
    await history.follow();
    await history.notary.sign();
    await history.record(...edits(130));
    await history.follow();
    await history.notary.sign();
    const { head, event, index, path } = await jsonOf('/audit/v1/proofs/inclusion?kind=pinpoints&id=2&revision=30');
    const leaf = eventLeaf(event);
    const hashes = (texts: readonly string[]) => texts.map((text) => hashFrom(text) ?? Buffer.alloc(0));
    expect(event).toMatchObject({ stream: 'pinpoint-2', revision: 30 });
    expect(verifiesInclusion({ leaf, index, size: 200, root: hashFrom(head.root) as Buffer, proof: hashes(path) })).toBe(true);
    const { from, to, consistency } = await jsonOf('/audit/v1/proofs/consistency?from=1');
    const sized = ({ size, root }: { size: number; root: string }) => ({ size, root: hashFrom(root) as Buffer });
    expect([from.size, to.size]).toEqual([70, 200]);
    expect(verifiesConsistency(sized(from), sized(to), hashes(consistency))).toBe(true);
    expect(await jsonOf('/audit/v1/proofs/consistency?from=1&to=1')).toMatchObject({
      from: { size: 70 },
      to: { size: 70 },
      consistency: [],
    });
  });

  it('are not returned if the log or the store was changed', async () => {
    await history.record(...edits(70));
    await history.follow();
    await history.notary.sign();
    const changedLog: ProofOptions['log'] = {
      ...history.log,
      read: async (...of) =>
        (await history.log.read(...of)).map((event) => ({ ...event, envelope: { ...event.envelope, actor: 'forged' } })),
    };
    const tiles: ProofOptions['reads']['tiles'] = async (...of) =>
      (await history.store.tiles(...of)).map((tile) => tile && Buffer.alloc(tile.length, 7));
    const inclusion = 'proofs/inclusion?kind=pinpoints&id=1&revision=1';
    for (const path of [inclusion, 'export', 'pinpoints/1/export'])
      await expect(get(`/audit/v1/${path}`, { over: { log: changedLog } })).rejects.toThrow(ProofsUnavailable);
    for (const path of [inclusion, 'pinpoints/1/export'])
      await expect(get(`/audit/v1/${path}`, { over: { reads: { ...history.store, tiles } } })).rejects.toThrow(ProofsUnavailable);
  });
});
