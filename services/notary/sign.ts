import { sealCheckpoint } from '@waymark/checkpoints/logged.ts';
import type { NotaryRecord } from '@waymark/checkpoints/record.ts';
import { checkpointsStream } from '@waymark/domain/streams.ts';
import { appendOnce } from '@waymark/event-log/append-once.ts';
import { checkpointText, openCheckpoint } from '@waymark/proof/checkpoint.ts';
import { parseVerifierKey } from '@waymark/proof/signed-note.ts';
import type { NotaryPorts } from './ports.ts';
import { anotherHasSigned } from './refused.ts';
import { known, type Session } from './session.ts';

export type SignPorts = Pick<NotaryPorts, 'log' | 'beginning'> & { readonly record: NotaryRecord };

/** Signs the next checkpoint, if the trees have grown, if it is the first one of its origin, or if a key has to be announced. The
 * record has it as intended before it is in the log, and as signed afterwards. Returns whether it has signed.
 * @throws SigningRefused, ReadAgain where another notary was first, LogUnavailable, AppendUndecided */
export const signNext = async (session: Session, { log, record, beginning }: SignPorts): Promise<boolean> => {
  const { origin, keys, trees, feed } = session;
  const last = session.last();
  const isFirst = last?.checkpoint.origin !== origin;
  // There is nothing to begin. An order that stayed would let the notary begin with any log that is restored later.
  if (!isFirst && beginning.isOrdered()) beginning.done();
  const { signer, announced } = keys.next(isFirst && session.continues() === null ? undefined : last);
  if (trees.leaves() === 0 || !(isFirst || trees.hasGrown() || announced !== null)) return false;
  const text = checkpointText({
    origin,
    ...(await trees.mapRoot()),
    number: isFirst ? 1 : last.checkpoint.number + 1,
    time: new Date().toISOString(),
    previous: isFirst ? null : last.digest,
    continues: isFirst ? session.continues() : null,
    key: announced,
  });
  const note = signer.sign(text);
  const opened = openCheckpoint(note, [parseVerifierKey(signer.verifierKey)]);
  const logged = { note, through: session.through(), events: trees.leaves(), accounts: opened.checkpoint.size };
  record.intend({ origin, number: opened.checkpoint.number, digest: opened.digest, note });
  const appended = await appendOnce(log, checkpointsStream, [sealCheckpoint(logged)], session.revision());
  if (appended.outcome === 'conflict') throw anotherHasSigned();
  const signed = { ...opened, ...logged, revision: appended.revision };
  session.signed(signed);
  const grown = await trees.takeGrown();
  if (isFirst) record.replace(known(signed), await trees.roots());
  else record.keep(known(signed), grown);
  if (isFirst) beginning.done();
  await feed.note(signed, grown);
  return true;
};
