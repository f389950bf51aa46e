import { edit, type Made, read, takeTokens } from './clients.ts';
import { type Applications, administer, erase, load, operate } from './operators.ts';
import type { Recording } from './recorded.ts';

/** Does everything that clients and operators can do with either form and that leaves something behind. Each action is done once, one after
 * the other.
 * @param directory the directory for files that commands read and write
 * @returns the application that can still be used, and what remains of its objects */
export const performEverything = async ({ run, send }: Recording, directory: string): Promise<Applications & Made> => {
  const applications = await administer(run);
  const call = await takeTokens(send, applications);
  const made = await edit(call);
  await read(call, made);
  await load(run, directory);
  await erase(run, made);
  await operate(run);
  await takeTokens(send, applications);
  return { ...applications, ...made };
};
