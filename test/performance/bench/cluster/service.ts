import { join } from 'node:path';
import { engineSettings } from '../../../cluster/setup/cluster.ts';
import { acceptSigningKey, signingKey } from '../../../cluster/setup/signing-key.ts';
import { statusOf, until } from '../client.ts';
import { freePort, type Launched, launch } from '../process.ts';
import { clusterLimits } from './limits.ts';

type Own = Parameters<typeof engineSettings>[0];

/** One process of a service, without a cluster's supervisor. */
export type Service = Launched & { readonly operator: string; readonly api: string };

const root = join(import.meta.dirname, '../../../..');
/** A key that only this run uses, and that protects nothing else. */
const key = 'a-key-of-the-benchmark-that-is-long-enough';

/** Starts a service on the engines, where its data has the names in `own`. Waits until the service is ready or, with `/livez`, only until
 * its operator port answers. */
export const startService = async (
  name: string,
  own: Own,
  directory: string,
  settings: Readonly<Record<string, string>> = {},
  path: '/readyz' | '/livez' = '/readyz',
): Promise<Service> => {
  await acceptSigningKey();
  const [port, opsPort] = [await freePort(), await freePort()];
  const operator = `http://127.0.0.1:${opsPort}`;
  const api = `http://127.0.0.1:${port}`;
  const launched = launch([join(root, 'services', name, 'main.ts')], join(directory, `${name}-${opsPort}`), {
    ...engineSettings(own),
    WAYMARK_PORT: `${port}`,
    WAYMARK_OPS_PORT: `${opsPort}`,
    WAYMARK_STATUS_TOKEN: key,
    // Releases before 0.6.0 have one token for all processes.
    WAYMARK_OPS_TOKEN: key,
    WAYMARK_CURSOR_KEY: key,
    WAYMARK_SIGNING_KEY: signingKey,
    WAYMARK_IDEMPOTENCY_KEY: key,
    WAYMARK_REQUEST_ID_KEY: key,
    WAYMARK_PUBLIC_URL: api,
    WAYMARK_RATE_LIMITS: 'off',
    ...settings,
  });
  const isUp = async (): Promise<boolean> => {
    launched.assertRunning();
    return (await statusOf(`${operator}${path}`, '')) === 200;
  };
  await until(name, isUp, clusterLimits.caughtUpMs);
  return { ...launched, operator, api };
};
