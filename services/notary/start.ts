import type { FinalCheckpoint } from '@waymark/proof/checkpoint.ts';
import type { Contradiction } from './account-trees.ts';

/** The last checkpoint of an origin that a witness has: the notary's own record, or a place of published checkpoints. */
export type Witness = FinalCheckpoint & {
  readonly name: string;
  /** Whether a key of the notary has signed it. */
  readonly isSigned: boolean;
  /** Whether the log has the same checkpoint. */
  readonly inLog: 'equal' | 'different' | 'missing';
};

/** What a notary has found when it has read the log up to its head. */
export type Evidence = {
  /** The origin that it signs for. */
  readonly origin: string;
  /** The last checkpoint in the log; `isMet`: the events up to there have its root. */
  readonly last: (FinalCheckpoint & { readonly isMet: boolean }) | undefined;
  /** The origin that the last event of the stream of checkpoints names, whether it is valid or not. */
  readonly loggedOrigin: string | undefined;
  /** What is wrong with the last checkpoint in the log. */
  readonly fault: string | undefined;
  readonly witnesses: readonly Witness[];
  /** The first account whose tree is not the one in the notary's record. */
  readonly contradiction: Contradiction | undefined;
  /** Whether an operator has ordered to begin. */
  readonly isBeginning: boolean;
};

/** What the notary may do: sign the next checkpoint of the origin, sign the first one, or nothing. */
export type Start =
  | { readonly kind: 'continue' }
  /** `isBegun`: by the order of an operator, although the log lacks something. */
  | { readonly kind: 'first'; readonly continues: FinalCheckpoint | null; readonly isBegun: boolean }
  | { readonly kind: 'refuse'; readonly reason: string };

/** Decides what the notary may do. It continues only where the log has all that it, or another notary of the installation, has signed. */
export const decideStart = (evidence: Evidence): Start => {
  const { origin, last, loggedOrigin, witnesses, isBeginning } = evidence;
  const reason = reasonAgainst(evidence);
  const isNew = loggedOrigin !== origin && witnesses.every((witness) => witness.origin !== origin);
  if (reason === undefined) {
    if (!isNew) return { kind: 'continue' };
    const [final] = [...(last === undefined ? [] : [last]), ...witnesses];
    return { kind: 'first', continues: final === undefined ? null : named(final), isBegun: false };
  }
  if (isNew && isBeginning) return { kind: 'first', continues: last?.isMet ? named(last) : null, isBegun: true };
  const forged = forgedIn(evidence);
  if (forged !== undefined) return { kind: 'refuse', reason: forged };
  if (!isNew) return { kind: 'refuse', reason: `${reason} If the log is to stay as it is: waymark renew, then waymark notary begin.` };
  return { kind: 'refuse', reason: `${reason} If the log is to stay as it is: waymark notary begin.` };
};

/** Names a file in the place that the notary has not written. It says nothing about the log. */
const forgedIn = ({ fault, witnesses }: Evidence): string | undefined => {
  // A notary that lost its keys knows no signature.
  if (fault !== undefined) return undefined;
  const forged = witnesses.find(({ isSigned, inLog }) => !isSigned && inLog !== 'equal');
  if (forged === undefined) return undefined;
  return `Checkpoint ${forged.number} in ${forged.name} is signed by no key of this notary: somebody else wrote it. Remove it, or name an empty place.`;
};

const named = ({ origin, number, digest }: FinalCheckpoint): FinalCheckpoint => ({ origin, number, digest });

const reasonAgainst = (evidence: Evidence): string | undefined => {
  const { last, fault, witnesses, contradiction } = evidence;
  if (fault !== undefined) return fault;
  for (const { name, number, inLog } of witnesses) {
    if (inLog === 'different') return `The log has another checkpoint ${number} than ${name}: one of them was changed.`;
    if (inLog === 'missing' && !wasImported(evidence))
      return `The log lacks checkpoint ${number} that ${name} has: it was cut, or an older one was restored.`;
  }
  if (contradiction !== undefined) return contradictionSentence(contradiction);
  if (last !== undefined && !last.isMet) return `The log does not have the events that its checkpoint ${last.number} covers.`;
  if (last !== undefined && witnesses.length === 0) return `The log has checkpoints, but ${ownRecord} is empty.`;
  return undefined;
};

/** Events that were imported come without the checkpoints of their former log: then the trees in the notary's record decide. */
const wasImported = ({ origin, last, witnesses, contradiction }: Evidence): boolean => {
  const [own] = witnesses.filter(({ name }) => name === ownRecord);
  if (last !== undefined || contradiction !== undefined || own === undefined || own.origin === origin) return false;
  return witnesses.every(({ digest }) => digest === own.digest);
};

/** The name of the notary's record as a witness. */
export const ownRecord = "the notary's record";

const contradictionSentence = ({ account, is }: Contradiction): string =>
  is === 'smaller'
    ? `The account ${account} has fewer events than ${ownRecord} says: the log was cut, or an older one was restored.`
    : `The events of the account ${account} are not those that ${ownRecord} covers: they were changed.`;
