import fc from 'fast-check';
import { leafHash, nodeHash } from './hashes.ts';
import { consistencyPlan, type InclusionProof, inclusionPlan, verifiesConsistency, verifiesInclusion } from './proofs.ts';
import { keptTree } from './testing/kept-tree.ts';
import { publishedConsistencies, publishedInclusions, publishedLeaves, publishedRoots } from './testing/published-tree.ts';

const published = publishedLeaves.map((data) => leafHash(Buffer.from(data, 'hex')));
const publishedRoot = (size: number): Buffer => Buffer.from(publishedRoots[size] ?? '', 'hex');
const hex = (hashes: readonly Buffer[]): readonly string[] => hashes.map((hash) => hash.toString('hex'));

const leavesMax = 70;
const someLeaves = Array.from({ length: leavesMax }, (_, nth) => leafHash(`leaf ${nth}`));
const tree = keptTree(someLeaves);
const sizes = fc.integer({ min: 1, max: leavesMax });

/** The root as RFC 6962 defines it. */
const rootOf = (leaves: readonly Buffer[]): Buffer => {
  const [only] = leaves;
  if (leaves.length === 1 && only !== undefined) return only;
  let left = 1;
  while (left * 2 < leaves.length) left *= 2;
  return nodeHash(rootOf(leaves.slice(0, left)), rootOf(leaves.slice(left)));
};

const flipped = (bytes: Buffer, bit: number): Buffer => {
  const changed = Buffer.from(bytes);
  changed[Math.floor(bit / 8)] = (changed[Math.floor(bit / 8)] ?? 0) ^ (1 << (bit % 8));
  return changed;
};
const bits = fc.nat(255);

describe('an inclusion proof', () => {
  it.each(publishedInclusions)('is the published one for leaf %i of %i', (index, size, proof) => {
    expect(hex(keptTree(published).inclusion(index, size))).toEqual(proof);
    const hashes = proof.map((hash) => Buffer.from(hash, 'hex'));
    expect(verifiesInclusion({ leaf: published[index] as Buffer, index, size, root: publishedRoot(size), proof: hashes })).toBe(true);
  });

  const someProof = sizes.chain((size) =>
    fc.nat(size - 1).map((index): InclusionProof => {
      return {
        leaf: someLeaves[index] as Buffer,
        index,
        size,
        root: rootOf(someLeaves.slice(0, size)),
        proof: tree.inclusion(index, size),
      };
    }),
  );

  it('verifies, for every leaf of trees of every size', () => {
    fc.assert(fc.property(someProof, (proof) => verifiesInclusion(proof)));
  });

  it('fails when any bit, the index, the order or the number of hashes is changed', () => {
    fc.assert(
      fc.property(someProof, bits, fc.nat(), (proven, bit, nth) => {
        const { leaf, index, size, root, proof } = proven;
        const fails = (changes: Partial<InclusionProof>): void => expect(verifiesInclusion({ ...proven, ...changes })).toBe(false);
        fails({ leaf: flipped(leaf, bit) });
        fails({ root: flipped(root, bit) });
        fails({ proof: [...proof, leaf] });
        for (const other of [-1, size, 0.5, Number.NaN]) fails({ index: other });
        if (size > 1) fails({ index: (index + 1 + (nth % (size - 1))) % size });
        if (proof.length === 0) return;
        const at = nth % proof.length;
        fails({ proof: proof.with(at, flipped(proof[at] as Buffer, bit)) });
        fails({ proof: proof.toSpliced(at, 1) });
        if (proof.length > 1) fails({ proof: proof.toReversed() });
      }),
    );
  });

  it('needs at most two subtrees for each level, also in the largest trees', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), fc.maxSafeNat(), (size, nth) => {
        expect(inclusionPlan(nth % size, size).flat().length).toBeLessThanOrEqual(2 * 53);
      }),
    );
    expect(inclusionPlan(500_000, 1_000_000).flat().length).toBeLessThanOrEqual(40);
  });
});

describe('a consistency proof', () => {
  it.each(publishedConsistencies)('is the published one from %i to %i leaves', (from, to, proof) => {
    expect(hex(keptTree(published).consistency(from, to))).toEqual(proof);
    const hashes = proof.map((hash) => Buffer.from(hash, 'hex'));
    expect(verifiesConsistency({ size: from, root: publishedRoot(from) }, { size: to, root: publishedRoot(to) }, hashes)).toBe(true);
  });

  const someProof = sizes.chain((to) =>
    fc.integer({ min: 1, max: to }).map((from) => ({
      earlier: { size: from, root: rootOf(someLeaves.slice(0, from)) },
      later: { size: to, root: rootOf(someLeaves.slice(0, to)) },
      proof: tree.consistency(from, to),
    })),
  );

  it('verifies, between trees of every size', () => {
    fc.assert(fc.property(someProof, ({ earlier, later, proof }) => verifiesConsistency(earlier, later, proof)));
  });

  it('fails when any bit, a size, the order or the number of hashes is changed', () => {
    fc.assert(
      fc.property(someProof, bits, fc.nat(), ({ earlier, later, proof }, bit, nth) => {
        const fails = (changes: { earlier?: typeof earlier; later?: typeof later; proof?: readonly Buffer[] }): void => {
          expect(verifiesConsistency(changes.earlier ?? earlier, changes.later ?? later, changes.proof ?? proof)).toBe(false);
        };
        fails({ earlier: { ...earlier, root: flipped(earlier.root, bit) } });
        fails({ later: { ...later, root: flipped(later.root, bit) } });
        fails({ proof: [...proof, later.root] });
        for (const size of [0, -1, later.size + 1, 0.5]) fails({ earlier: { ...earlier, size } });
        if (proof.length === 0) return;
        const at = nth % proof.length;
        fails({ proof: proof.with(at, flipped(proof[at] as Buffer, bit)) });
        fails({ proof: proof.toSpliced(at, 1) });
        if (proof.length > 1) fails({ proof: proof.toReversed() });
      }),
    );
  });

  it('needs at most three subtrees for each level of a tree of a million leaves', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (from) => {
        expect(consistencyPlan(from, 1_000_000).flat().length).toBeLessThanOrEqual(60);
      }),
    );
  });
});
