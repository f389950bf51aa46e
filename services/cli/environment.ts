import { readFileSync } from 'node:fs';
import { locateDirectory } from '@waymark/runtime/directory.ts';
import { settingsSchema } from '@waymark/standalone/settings.ts';
import { CommandFailed } from './terminal/exit-codes.ts';

type Environment = NodeJS.ProcessEnv;

/** Where the installation lies, or would lie, on this machine. */
export const dataDirectory = (environment: Environment): string =>
  locateDirectory(environment['WAYMARK_DATA_DIR'] || settingsSchema.properties.WAYMARK_DATA_DIR.default);

/** The operator API that the environment names; undefined: none.
 * @throws CommandFailed where its token is missing */
export const namedOperator = (environment: Environment): { readonly url: string; readonly token: string } | undefined => {
  const url = environment['WAYMARK_OPS_URL'];
  if (!url) return undefined;
  if (!URL.canParse(url)) throw new CommandFailed('usage', `WAYMARK_OPS_URL is no URL: ${url}`);
  const token = environment['WAYMARK_OPS_TOKEN'] || tokenFromFile(environment['WAYMARK_OPS_TOKEN_FILE']);
  if (!token) throw new CommandFailed('usage', 'WAYMARK_OPS_URL needs WAYMARK_OPS_TOKEN or WAYMARK_OPS_TOKEN_FILE beside it.');
  return { url, token };
};

const tokenFromFile = (file: string | undefined): string | undefined => {
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new CommandFailed('usage', `WAYMARK_OPS_TOKEN_FILE: ${(error as Error).message}`, { cause: error });
  }
};
