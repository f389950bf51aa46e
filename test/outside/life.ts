import { edit, type Made, read, takeTokens } from './clients.ts';
import { type Applications, administer, erase, load, operate } from './operators.ts';
import type { Life } from './recorded.ts';

/** Everything that clients and operators can do with either form that leaves something behind, each thing once, one after the other.
 * @param directory room for the files that commands read and write
 * @returns the application that is left to work with, and what is left of its objects */
export const live = async ({ run, send }: Life, directory: string): Promise<Applications & Made> => {
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
