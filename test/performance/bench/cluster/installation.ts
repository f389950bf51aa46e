import { ownName } from '@waymark/test-engines/test-engines.ts';
import { type Cluster, newPlace, startCluster } from '../../../cluster/setup/cluster.ts';
import { call } from '../client.ts';
import { clusterLimits } from './limits.ts';
import { engineProcesses, type Measured } from './usage.ts';

/** An account of a cluster, its application, and a bearer token. */
export type Account = { readonly name: string; readonly id: string; readonly secret: string; readonly token: string };

/** A process of a cluster, and the URLs of its ports. */
export type Process = { readonly name: string; readonly pid: number; readonly operator: string; readonly api?: string };

/** A whole cluster under test. */
export type Installation = {
  readonly cluster: Cluster;
  /** Base URL of the edge. */
  readonly base: string;
  readonly accounts: readonly Account[];
  readonly processes: readonly Process[];
  /** The processes whose processor time counts: services, the edge, engines, and this process. */
  readonly measured: readonly Measured[];
  readonly stop: () => Promise<void>;
};

/** Starts a cluster and creates its accounts.
 * @param replicas in the format of WAYMARK_REPLICAS
 * @param checkout where the sources are; default: here */
export const openInstallation = async (
  replicas: string,
  settings: Readonly<Record<string, string>> = {},
  checkout?: string,
): Promise<Installation> => {
  const environment = { NODE_ENV: 'production', WAYMARK_REPLICAS: replicas, ...settings };
  const cluster = await startCluster(environment, newPlace(), checkout === undefined ? {} : { checkout });
  try {
    const processes = await processesOf(cluster);
    return {
      cluster,
      base: cluster.url,
      accounts: await newAccounts(cluster, clusterLimits.accounts),
      processes,
      measured: measuredOf(cluster, processes),
      // The measurements stay valid even if the stop fails.
      stop: () => cluster.stop().catch((error: unknown) => console.error(error)),
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
};

/** Returns all processes. The operator service is the last one. */
const processesOf = async ({ operator, operatorUrl }: Cluster): Promise<readonly Process[]> => {
  const { processes } = (await operator('GET', '/status')).body as { processes: readonly Process[] };
  const { pid } = (await operator('GET', '/figures')).body as { pid: number };
  return [...processes, { name: 'operator', pid, operator: operatorUrl }];
};

/** Returns all replicas of a service. */
export const serviceOf = ({ processes }: Pick<Installation, 'processes'>, service: string): readonly Process[] =>
  processes.filter(({ name }) => name === service || name.startsWith(`${service}-`));

const services = ['commands', 'relay', 'projector', 'query-gateway', 'auditor', 'auth', 'operator'];

const measuredOf = (cluster: Cluster, processes: readonly Process[]): readonly Measured[] => [
  ...services.map((name) => ({ name, pids: serviceOf({ processes }, name).map(({ pid }) => pid) })),
  { name: 'edge', pids: cluster.edge().workers },
  ...engineProcesses(),
  { name: 'bench', pids: [process.pid] },
];

type Application = { readonly client_id: string; readonly client_secret: string };

export const newAccounts = async ({ operator, url }: Cluster, count: number): Promise<readonly Account[]> => {
  const accounts: Account[] = [];
  const prefix = ownName('bench');
  for (let number = 1; number <= count; number += 1) {
    const name = `${prefix}-${number}`;
    const { status, text, body } = await operator('POST', '/applications', { account: name, name: 'bench', scopes: ['read', 'write'] });
    if (status !== 201) throw new Error(`POST /operator/applications: ${status} ${text}`);
    const application = body as Application;
    accounts.push({ name, id: application.client_id, secret: application.client_secret, token: await tokenOf(url, application) });
  }
  return accounts;
};

const tokenOf = async (base: string, { client_id, client_secret }: Application): Promise<string> => {
  const { access_token } = (await call(`${base}/v3.0/oauth2/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: `grant_type=client_credentials&client_id=${client_id}`,
  })) as { readonly access_token: string };
  return access_token;
};
