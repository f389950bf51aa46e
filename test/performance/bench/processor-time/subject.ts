import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, until } from '../client.ts';
import { launch } from '../process.ts';

export type Build = {
  readonly pid: number;
  readonly directory: string;
  readonly base: string;
  readonly token: string;
  readonly stop: () => Promise<void>;
};

type Operator = { readonly url: string; readonly token: string; readonly api: string };
type Application = { readonly client_id: string; readonly client_secret: string };

const operatorIn = (directory: string): Operator | undefined => {
  try {
    return JSON.parse(readFileSync(join(directory, 'data/operator.json'), 'utf8'));
  } catch {
    return undefined;
  }
};

/** Starts the standalone form of a checkout.
 * @param under a command that runs Node */
export const startBuild = async (checkout: string, directory: string, under: readonly string[] = []): Promise<Build> => {
  const settings = {
    WAYMARK_PORT: '0',
    WAYMARK_OPS_PORT: '0',
    WAYMARK_DATA_DIR: join(directory, 'data'),
    WAYMARK_LOG_LEVEL: 'warn',
    // The limit counts, and is never reached.
    WAYMARK_RATE_LIMIT_REQUESTS: '100000',
  };
  const launched = launch([join(checkout, 'services/standalone/main.ts')], directory, settings, under);
  await until('operator.json', async () => {
    launched.assertRunning();
    return operatorIn(directory) !== undefined;
  });
  const { url, token: operatorToken, api } = operatorIn(directory) as Operator;
  const body = JSON.stringify({ account: 'bench', name: 'bench', scopes: ['read', 'write'] });
  const { client_id: id, client_secret: secret } = (await call(`${url}/operator/applications`, {
    method: 'POST',
    token: operatorToken,
    body,
  })) as Application;
  const { access_token: token } = (await call(`${api}/v3.0/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  })) as { readonly access_token: string };
  return { pid: launched.pid, directory, base: api, token, stop: launched.stop };
};
