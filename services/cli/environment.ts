import { readFileSync } from 'node:fs';
import { locateDirectory } from '@waymark/runtime/directory.ts';
import { settingsSchema } from '@waymark/standalone/settings.ts';
import { CommandFailed } from './terminal/exit-codes.ts';

type Environment = NodeJS.ProcessEnv;

/** Returns the data directory of the installation on this machine, whether or not it exists. */
export const dataDirectory = (environment: Environment): string =>
  locateDirectory(environment['WAYMARK_DATA_DIR'] || settingsSchema.properties.WAYMARK_DATA_DIR.default);

/** Returns the operator API that the environment names, or undefined where it names none.
 * @throws CommandFailed where its URL is invalid or its token is missing */
export const namedOperator = (environment: Environment): { readonly url: string; readonly token: string } | undefined => {
  const url = environment['WAYMARK_OPS_URL'];
  if (!url) return undefined;
  if (!URL.canParse(url)) throw new CommandFailed('usage', `WAYMARK_OPS_URL is not a URL: ${url}`);
  // The operator service accepts each of several tokens, separated by commas.
  const [token] = (environment['WAYMARK_OPS_TOKEN'] || tokenFromFile(environment['WAYMARK_OPS_TOKEN_FILE']) || '').split(',');
  if (!token) throw new CommandFailed('usage', 'WAYMARK_OPS_URL also needs WAYMARK_OPS_TOKEN or WAYMARK_OPS_TOKEN_FILE.');
  return { url, token: token.trim() };
};

const tokenFromFile = (file: string | undefined): string | undefined => {
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new CommandFailed('usage', `WAYMARK_OPS_TOKEN_FILE: ${(error as Error).message}`, { cause: error });
  }
};
