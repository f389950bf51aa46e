import { type AccountRoot, createAccountMap } from '../account-map.ts';
import { type Checkpoint, checkpointDigest, checkpointText, keyNameOf, originOf } from '../checkpoint.ts';
import { type EarlierRoot, eventLine, headerLine, type ProvenRoot } from '../export/format.ts';
import { type ExportVerification, verifyExport } from '../export/verify.ts';
import { leafHash } from '../hashes.ts';
import { eventLeaf } from '../leaf.ts';
import { createNoteSigner, type NoteSigner, parseVerifierKey } from '../signed-note.ts';
import { keptTree } from './kept-tree.ts';
import { type SomeEvent, someAccount } from './some-history.ts';

const installation = '0a0a0a0a-0b0b-4c0c-8d0d-0e0e0e0e0e0e';

export const signerOf = (seed: number): NoteSigner => createNoteSigner(keyNameOf(installation), Buffer.alloc(32, seed));
export const signer = signerOf(1);
export const laterSigner = signerOf(2);
/** The notary of another installation. */
export const otherSigner = createNoteSigner(keyNameOf('1a1a1a1a-1b1b-4c1c-8d1d-1e1e1e1e1e1e'), Buffer.alloc(32, 4));

/** The accounts beside the exported one. */
const otherAccounts: readonly AccountRoot[] = ['0cc175b9c0f1b6a831c399e269772661', '92eb5ffee6ae2fec3ad71c777531578f'].map(
  (account, nth) => ({
    account,
    size: 5 + nth,
    root: leafHash(account),
  }),
);

type CheckpointOptions = Partial<Pick<Checkpoint, 'number' | 'key' | 'continues'>> & {
  readonly incarnation?: string;
  readonly by?: NoteSigner;
};

/** Signs a checkpoint over the first events of a history. */
export const provenRoot = (
  events: readonly SomeEvent[],
  size: number,
  { number = size, key = null, continues = null, incarnation = 'first', by = signer }: CheckpointOptions = {},
): ProvenRoot => {
  const root = keptTree(events.slice(0, size).map(eventLeaf)).rootAt(size);
  const map = createAccountMap([...otherAccounts, { account: someAccount, size, root }]);
  const origin = originOf(installation, incarnation);
  const time = new Date(Date.UTC(2026, 10, 25, 10, number)).toISOString();
  const previous = number === 1 ? null : checkpointDigest(`checkpoint ${number - 1}`);
  const checkpoint = by.sign(checkpointText({ origin, size: map.size, root: map.root, number, time, previous, continues, key }));
  const { index, path } = map.pathOf(someAccount) ?? { index: 0, path: [] };
  return { checkpoint, size, root, index, path };
};

export type SomeExport = {
  readonly events: readonly SomeEvent[];
  readonly object?: string;
  readonly head?: ProvenRoot;
  readonly earlier?: readonly ProvenRoot[];
  readonly announcements?: readonly string[];
};

/** Returns the lines of an export. */
export const exportOf = ({ events, object, head = provenRoot(events, events.length), earlier = [], announcements = [] }: SomeExport) => {
  const tree = keptTree(events.map(eventLeaf));
  const size = Math.min(head.size, events.length);
  const withProofs = earlier.map((root): EarlierRoot => ({ ...root, consistency: tree.consistency(root.size, head.size) }));
  const header = headerLine({ account: someAccount, object: object ?? null, announcements, head, earlier: withProofs });
  const lines = events.flatMap((event, index) => {
    if (object === undefined) return [eventLine({ ...event, inclusion: null })];
    return event.stream === object
      ? [eventLine({ ...event, inclusion: { index, path: index < size ? tree.inclusion(index, size) : [] } })]
      : [];
  });
  return [header, ...lines];
};

type Given = { readonly keys?: readonly string[]; readonly checkpoints?: readonly string[] };

export const verified = (
  lines: readonly (string | Buffer)[],
  { keys = [signer.verifierKey], checkpoints = [] }: Given = {},
): Promise<ExportVerification> => verifyExport(bytesOf(lines), { keys: keys.map(parseVerifierKey), checkpoints });

async function* bytesOf(lines: readonly (string | Buffer)[]) {
  for (const line of lines) yield Buffer.from(line);
}
