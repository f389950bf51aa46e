/** A piece of source code whose order matters, and a replacement that breaks it. */
export type Breakage = { readonly file: string; readonly good: string; readonly bad: string };

export const breakages: Readonly<Record<string, Breakage>> = {
  /** Moves the position outside of the transaction that writes the documents. */
  'position-outside': {
    file: 'packages/read-models/mongodb/steps.ts',
    good: 'position.bulkWrite(moves, { ordered: false, ...at })',
    bad: 'position.bulkWrite(moves, { ordered: false, signal: at.signal })',
  },
  /** Applies a record although its predecessor is above the position. */
  'gap-applied': {
    file: 'services/projector/partitions/classify-record.ts',
    good: `  if (record.previous > reached.position) return 'gap';
  return record.event !== null || namesLastEvent(record, reached) ? 'next' : 'diverged';
`,
    bad: `  return 'next';
`,
  },
};
