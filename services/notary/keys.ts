import { keyNameOf, type OpenedCheckpoint } from '@waymark/proof/checkpoint.ts';
import { createNoteSigner, InvalidKey, type NoteSigner } from '@waymark/proof/signed-note.ts';
import { keysMax } from './limits.ts';
import { SigningRefused } from './refused.ts';

const keyCharacters = /^[A-Za-z0-9+/]{43}=$/;

/** Returns the private keys of a setting: base64 of 32 bytes each, the newest one first. The messages do not repeat them.
 * @throws InvalidKey */
export const parseNotaryKeys = (text: string): readonly Buffer[] => {
  const keys = text.split(',').map((one) => one.trim());
  if (keys.length > keysMax || !keys.every((key) => keyCharacters.test(key)))
    throw new InvalidKey('The notary has one private key or two, separated by a comma: each is base64 of 32 bytes.');
  return keys.map((key) => Buffer.from(key, 'base64'));
};

/** The keys of an installation's notary. */
export type NotaryKeys = {
  /** The verifier keys, the newest one first. */
  readonly verifierKeys: readonly string[];
  /** Returns the key that signs the next checkpoint, and the key that it has to announce, if any.
   * @param last the last checkpoint that another one follows; undefined for the first one of all
   * @throws SigningRefused where the key has changed without an announcement */
  readonly next: (last: OpenedCheckpoint | undefined) => { readonly signer: NoteSigner; readonly announced: string | null };
};

/** @throws InvalidKey */
export const notaryKeys = (installation: string, seeds: readonly Buffer[]): NotaryKeys => {
  const [newest, former] = seeds.map((seed) => createNoteSigner(keyNameOf(installation), seed));
  if (newest === undefined) throw new InvalidKey('The notary has no private key.');
  return {
    verifierKeys: [newest, former].flatMap((signer) => signer?.verifierKey ?? []),
    next: (last) => {
      const due = last === undefined || isOfAnother(last, installation) ? newest.verifierKey : (last.checkpoint.key ?? last.signedBy.text);
      if (due === newest.verifierKey) return { signer: newest, announced: null };
      if (due === former?.verifierKey) return { signer: former, announced: newest.verifierKey };
      throw new SigningRefused(
        'The key of the notary is not the one of its last checkpoint. Set WAYMARK_NOTARY_KEY to "<new>,<old>" once.',
      );
    },
  };
};

/** Events that were imported keep their trees, but not the name of the key, which has the installation. */
const isOfAnother = ({ checkpoint }: OpenedCheckpoint, installation: string): boolean =>
  !checkpoint.origin.startsWith(`${keyNameOf(installation)}/`);
