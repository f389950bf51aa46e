import type { Signer } from '@waymark/signing/signer.ts';
import type { KnownFacts } from './facts.ts';
import { fromStoredKnownFacts, toStoredKnownFacts } from './stored-facts.ts';

/** Where facts of a log outlive it: one text, which others may have written. Rejects where it is unavailable. */
export type FactsStore = {
  /** Undefined where there is none, or one of more than `sealedCharactersMax`. */
  readonly read: () => Promise<string | undefined>;
  /** Writes a text in the place of the one that was read. False where another one is there by now. */
  readonly replace: (before: string | undefined, text: string) => Promise<boolean>;
};

/** Longer texts are none of ours. */
export const sealedCharactersMax = 4_096;

const signatureCharacters = 32;
const kind = 'log-facts';

/** Facts as they are kept in every store, signed as an installation's. */
export const sealFacts = (signer: Signer, installation: string, facts: KnownFacts): string => {
  const body = JSON.stringify(toStoredKnownFacts(facts));
  return signer.sign(kind, installation, body) + body;
};

/** What a text says, if a process of this installation has written it: undefined where it is forged, or another installation's. */
export const openFacts = (signer: Signer, installation: string, text: string | undefined): KnownFacts | undefined => {
  if (text === undefined || text.length > sealedCharactersMax) return undefined;
  const body = text.slice(signatureCharacters);
  if (!signer.verify(text.slice(0, signatureCharacters), kind, installation, body)) return undefined;
  return fromStoredKnownFacts(JSON.parse(body));
};
