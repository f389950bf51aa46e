import { createDigest } from '@waymark/event-log/erasure/erasure-summary.ts';
import { type AccountRoot, createAccountMap } from '../account-map.ts';
import { canonicalJson } from '../canonical-json.ts';
import { checkpointDigest, openCheckpoint } from '../checkpoint.ts';
import { leafHash } from '../hashes.ts';
import { eventLeaf, leafData } from '../leaf.ts';
import { parseVerifierKey } from '../signed-note.ts';
import { keptTree } from './kept-tree.ts';
import { publishedHead } from './published-exports.ts';
import { laterSigner, signer } from './some-export.ts';
import { someAccount, someHistory } from './some-history.ts';

const base64 = (hash: Buffer): string => hash.toString('base64');

/** Vectors for each step of a verification, of the history that the published exports have. */
export const publishedVectors = () => {
  const history = someHistory();
  const leaves = history.map(eventLeaf);
  const tree = keptTree(leaves);
  const { checkpoint, digest } = openCheckpoint(publishedHead.checkpoint, [parseVerifierKey(laterSigner.verifierKey)]);
  return {
    'canonical json': canonicalJsons.map((input) => ({ input, output: canonicalJson(JSON.parse(input)) })),
    leaves: history.map((event, nth) => ({ data: leafData(event), hash: base64(leaves[nth] as Buffer) })),
    roots: Array.from({ length: leaves.length + 1 }, (_, size) => base64(tree.rootAt(size))),
    inclusion: [0, 4, 12, 13].map((index) => ({ index, size: 14, proof: tree.inclusion(index, 14).map(base64) })),
    consistency: [1, 6, 8, 9, 13, 14].map((from) => ({ from, to: 14, proof: tree.consistency(from, 14).map(base64) })),
    accounts: accountVectors([{ account: someAccount, size: 14, root: tree.rootAt(14) }, ...otherAccounts]),
    keys: [signer, laterSigner].map(({ verifierKey }, nth) => ({ seed: Buffer.alloc(32, nth + 1).toString('hex'), key: verifierKey })),
    checkpoint: { note: publishedHead.checkpoint, ...checkpoint, root: base64(checkpoint.root), digest },
    'checkpoint digest of a text': { text: 'one\n', digest: checkpointDigest('one\n') },
    commitments: history.flatMap(({ salt, content, envelope }) =>
      content === null ? [] : [{ salt, content, commitment: envelope.commitment }],
    ),
    'erasure of pinpoint-2': summaryOf('pinpoint-2', 2),
    'erasure of list-1': summaryOf('list-1', 2),
  };
};

const canonicalJsons = ['{"b":[1,true,null],"a":"\\u20ac\\u000f\\n\\/"}', '{"\\ufb33":1,"\\ud83d\\ude00":2}', '["\\ud800","\\u2028"]'];

const otherAccounts: readonly AccountRoot[] = [
  { account: '00000000000000000000000000000001', size: 1, root: leafHash('a') },
  { account: 'ffffffffffffffffffffffffffffffff', size: 2, root: leafHash('b') },
];

const accountVectors = (accounts: readonly AccountRoot[]) => {
  const map = createAccountMap(accounts);
  return {
    size: map.size,
    root: base64(map.root),
    leaves: accounts.map(({ account, size, root }) => {
      const { index = -1, path = [] } = map.pathOf(account) ?? {};
      return { data: canonicalJson([account, size, base64(root)]), index, path: path.map(base64) };
    }),
  };
};

const summaryOf = (stream: string, before: number) => {
  const digest = createDigest();
  for (const event of someHistory()) if (event.stream === stream && event.revision < before) digest.add(event);
  return digest.value();
};
