import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, call, until } from './client.ts';
import { type Launched, launch } from './process.ts';
import { type Bucket, bucketQuantile } from './statistics.ts';

const program = [join(import.meta.dirname, '../../../services/cli/waymark.cjs'), 'start'];
const lagMetric = 'waymark_projection_lag_seconds';

/** Starts Waymark as a user does, but without a rate limit. By default, only its ports and its directory are set. */
export const launchWaymark = (directory: string, port: number, settings: Readonly<Record<string, string>> = {}): Launched =>
  launch(program, directory, {
    WAYMARK_PORT: String(port),
    WAYMARK_OPS_PORT: '0',
    WAYMARK_DATA_DIR: join(directory, 'data'),
    WAYMARK_RATE_LIMITS: 'off',
    ...settings,
  });

export type Operator = { readonly url: string; readonly token: string };

/** Returns the operator file of the server that runs on the directory. */
export const operatorOf = (directory: string): Operator => JSON.parse(readFileSync(join(directory, 'data/operator.json'), 'utf8'));

const isWritten = async (directory: string): Promise<boolean> => {
  try {
    return operatorOf(directory).token !== undefined;
  } catch {
    return false;
  }
};

type Application = { readonly client_id: string; readonly client_secret: string };

export const waymarkToken = async (directory: string, base: string): Promise<string> => {
  await until('operator.json', () => isWritten(directory));
  return tokenFrom(operatorOf(directory), base);
};

/** Registers an application and returns a token of it. */
export const tokenFrom = async ({ url, token }: Operator, base: string): Promise<string> => {
  const body = JSON.stringify({ account: 'bench', name: 'bench', scopes: ['read', 'write'] });
  const application = (await call(`${url}/operator/applications`, { method: 'POST', token, body })) as Application;
  const basic = btoa(`${application.client_id}:${application.client_secret}`);
  const answer = (await call(`${base}/v3.0/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: `grant_type=client_credentials&client_id=${application.client_id}`,
  })) as { readonly access_token: string };
  return answer.access_token;
};

export type Rebuilt = { readonly events: number; readonly seconds: number };

export const rebuild = async (directory: string, timeoutMs: number): Promise<Rebuilt> => {
  const { url, token } = operatorOf(directory);
  return (await call(`${url}/operator/rebuild`, { method: 'POST', token, timeoutMs })) as Rebuilt;
};

/** Returns the histogram of the time from an append until the event was visible, since the start of the server. */
export const lagBuckets = async (directory: string): Promise<readonly Bucket[]> => {
  const { body } = await ask(`${operatorOf(directory).url}/metrics`);
  const lines = body.split('\n').filter((line) => line.startsWith(`${lagMetric}_bucket`));
  if (lines.length === 0) throw new Error(`/metrics does not report ${lagMetric}`);
  return lines.map(toBucket);
};

const toBucket = (line: string): Bucket => {
  const most = /le="([^"]+)"/.exec(line)?.[1];
  return { most: most === '+Inf' ? Number.POSITIVE_INFINITY : Number(most), count: Number(line.split(' ').at(-1)) };
};

export const lagP99Ms = (before: readonly Bucket[], after: readonly Bucket[]): number => {
  const between = after.map(({ most, count }, index) => ({ most, count: count - (before[index]?.count ?? 0) }));
  return bucketQuantile(between, 0.99) * 1_000;
};
