import { Type } from '@sinclair/typebox';

const hash = Type.String({ description: 'A hash in base64' });
const whole = Type.Integer({ minimum: 0 });

/** The tree of an account at a checkpoint, and the place of the account in its map. */
export const ProvenRoot = Type.Object({
  checkpoint: Type.String({ description: 'The signed note' }),
  size: whole,
  root: hash,
  index: whole,
  path: Type.Array(hash),
});

/** An event, its place in the tree of the account, and its inclusion proof. */
export const InclusionProof = Type.Object({
  head: ProvenRoot,
  event: Type.Object({ stream: Type.String(), revision: whole, envelope: Type.Record(Type.String(), Type.Unknown()) }),
  index: whole,
  path: Type.Array(hash),
});

/** The trees of the account at two checkpoints, and the proof that the first is the beginning of the second. */
export const ConsistencyProof = Type.Object({ from: ProvenRoot, to: ProvenRoot, consistency: Type.Array(hash) });

export const ExportPage = Type.String({
  description: 'Lines of canonical JSON: in the first page a header, then one line for each event.',
});
