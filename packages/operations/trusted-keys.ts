import type { EvidenceSource } from '@waymark/checkpoints/verification/evidence.ts';
import { badRequest } from '@waymark/http/errors.ts';
import { InvalidKey, parseVerifierKey } from '@waymark/proof/signed-note.ts';
import type { BodyOf } from './api/calls.ts';

/** Returns what a log is compared with. The keys that an order names replace those that the process trusts.
 * @throws HttpError 400 if a text is no key */
export const trusting = ({ keys }: BodyOf<'POST /operator/verify'>, known: EvidenceSource): EvidenceSource => {
  if (keys === undefined || keys.length === 0) return known;
  try {
    for (const key of keys) parseVerifierKey(key);
  } catch (error) {
    throw error instanceof InvalidKey ? badRequest(error.message) : error;
  }
  return { ...known, keys: async () => keys };
};
