import { createQuestionLimit } from '@waymark/history/reading/question-limit.ts';
import type { Handler, Routes } from '@waymark/http/call.ts';
import type { Seals } from '@waymark/http/paging/seals.ts';
import { storedRoot } from '@waymark/proof/export/format.ts';
import { coveredNow } from './checkpoints.ts';
import { consistency } from './consistency.ts';
import { exportAccount, exportObject } from './export/export.ts';
import { inclusion } from './inclusion.ts';
import { accountProofRequestsMax, proofRequestsMax } from './limits.ts';
import type { ProofOptions } from './options.ts';
import { createProvenRoots, type ProvenRoots } from './proven-roots.ts';

/** Returns the routes that prove what happened. */
export const proofRoutes = (proofs: ProofOptions, { seals, base }: { readonly seals: Seals; readonly base: string }): Routes => {
  const roots = createProvenRoots(proofs.reads);
  const exporting = { ...proofs, roots, seals, base };
  const limited = createQuestionLimit({ questionsMax: proofRequestsMax, accountQuestionsMax: accountProofRequestsMax });
  const inTurn =
    (handler: Handler): Handler =>
    (call) =>
      limited(call.access.account, async () => handler(call));
  return {
    'GET /audit/v1/checkpoints/latest': inTurn(latest(proofs, roots)),
    'GET /audit/v1/proofs/inclusion': inTurn(inclusion(proofs, roots)),
    'GET /audit/v1/proofs/consistency': inTurn(consistency(proofs, roots)),
    'GET /audit/v1/export': inTurn(exportAccount(exporting)),
    'GET /audit/v1/:kind/:id/export': inTurn(exportObject(exporting)),
  };
};

/** Returns the handler that returns the tree of the account at the last checkpoint. */
const latest =
  ({ reads }: ProofOptions, roots: ProvenRoots): Handler =>
  async (call) => {
    const { tree } = await coveredNow(reads, roots, call.access.account);
    return { status: 200, body: JSON.stringify(storedRoot(tree)) };
  };
