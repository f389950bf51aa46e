import { edit, type Made, read, takeTokens } from './clients.ts';
import { type Applications, administer, erase, load, operate } from './operators.ts';
import { readProofs } from './proofs.ts';
import type { Recording } from './recorded.ts';
import { openCalls, undoChanges, undoImport } from './undo.ts';

/** Does everything that clients and operators can do with either form and that leaves something behind. Each action is done once, one after
 * the other.
 * @param directory the directory for files that commands read and write
 * @param sign lets the notary sign a checkpoint; without it, no proofs are read
 * @returns the application that can still be used, and what remains of its objects */
export const performEverything = async (
  recording: Recording,
  directory: string,
  sign?: () => Promise<void>,
): Promise<Applications & Made> => {
  const { run, send } = recording;
  const applications = await administer(run);
  const call = await takeTokens(send, applications);
  const made = await edit(call);
  const calls = await openCalls(recording, call, applications);
  await undoChanges(calls);
  await undoImport(calls, applications);
  if (sign !== undefined) await readProofs(calls, sign);
  await read(call, made);
  await load(run, directory);
  await erase(run, made);
  await operate(run);
  await takeTokens(send, applications);
  return { ...applications, ...made };
};
