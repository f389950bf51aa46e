import { join } from 'node:path';
import { exportOf, laterSigner, provenRoot, signer } from './some-export.ts';
import { someHistory } from './some-history.ts';

/** The folder of the second verifier and of the files that other verifiers can be tested with. */
export const publishedFolder = join(import.meta.dirname, '../../../docs/internals/proofs');

const history = someHistory();

/** The key has changed once, and the log was restored once: the first six events have a final checkpoint of another origin. */
export const publishedFinal = provenRoot(history, 6, { incarnation: 'zeroth' });
export const publishedAnnouncement = provenRoot(history, 9, { key: laterSigner.verifierKey });
export const publishedHead = provenRoot(history, history.length, { by: laterSigner });

const common = {
  events: history,
  head: publishedHead,
  earlier: [publishedFinal, publishedAnnouncement],
  announcements: [publishedAnnouncement.checkpoint],
};

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** The files, by name. */
export const publishedExports = {
  keys: `${signer.verifierKey}\n`,
  'account.ndjson': textOf(exportOf(common)),
  'pinpoint.ndjson': textOf(exportOf({ ...common, object: 'pinpoint-1' })),
  'erased-list.ndjson': textOf(exportOf({ ...common, object: 'list-1' })),
};
