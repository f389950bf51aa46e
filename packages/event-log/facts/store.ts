import type { Signer } from '@waymark/signing/signer.ts';
import type { KnownFacts } from './facts.ts';
import { fromStoredKnownFacts, toStoredKnownFacts } from './stored-facts.ts';

/** A store outside the log that keeps facts of the log. It holds one text, which another party may have written. Its functions reject where
 * it is unavailable. */
export type FactsStore = {
  /** Returns undefined where the store has no text, or one of more than `sealedCharactersMax`. */
  readonly read: () => Promise<string | undefined>;
  /** Replaces the text that was read. Returns false where the store has another text by now. */
  readonly replace: (before: string | undefined, text: string) => Promise<boolean>;
};

/** The maximum length of a text. Waymark did not write a longer one. */
export const sealedCharactersMax = 4_096;

const signatureCharacters = 32;
const kind = 'log-facts';

/** Returns facts in the form that every store keeps, signed for an installation. */
export const sealFacts = (signer: Signer, installation: string, facts: KnownFacts): string => {
  const body = JSON.stringify(toStoredKnownFacts(facts));
  return signer.sign(kind, installation, body) + body;
};

/** Returns the facts in a text, if a process of this installation wrote it; undefined where it is forged, or where it belongs to another
 * installation. */
export const openFacts = (signer: Signer, installation: string, text: string | undefined): KnownFacts | undefined => {
  if (text === undefined || text.length > sealedCharactersMax) return undefined;
  const body = text.slice(signatureCharacters);
  if (!signer.verify(text.slice(0, signatureCharacters), kind, installation, body)) return undefined;
  return fromStoredKnownFacts(JSON.parse(body));
};
