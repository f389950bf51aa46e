import { readFileSync } from 'node:fs';
import { createSigner } from '@waymark/signing/signer.ts';
import type { Cluster } from './cluster.ts';

/** Returns the id of a process.
 * @throws if there is no such process */
export const pidOf = async (cluster: Cluster, name: string): Promise<number> => {
  const found = (await cluster.processes()).find((one) => one.name === name)?.pid;
  if (found === undefined) throw new Error(`The process ${name} is not known.`);
  return found;
};

/** Returns the base URL of a service's own API, past the edge. */
export const apiOf = async (cluster: Cluster, name: string): Promise<string> =>
  `http://127.0.0.1:${await settingOf(cluster, name, 'WAYMARK_PORT')}`;

/** Returns the base URL of a service's operator port. */
export const operatorPortOf = async (cluster: Cluster, name: string): Promise<string> =>
  `http://127.0.0.1:${await settingOf(cluster, name, 'WAYMARK_OPS_PORT')}`;

/** Returns the figures that a service reports to operators. */
export const figuresOf = async <Figures>(cluster: Cluster, name: string): Promise<Figures> => {
  // Releases before 0.6.0 have one token for all processes.
  const token = (await settingOf(cluster, name, 'WAYMARK_STATUS_TOKEN')) || cluster.operatorToken;
  const answer = await fetch(`${await operatorPortOf(cluster, name)}/operator/figures`, {
    headers: { Authorization: `Bearer ${token}`, Connection: 'close' },
  });
  if (answer.status !== 200) throw new Error(`The operator port of ${name} answers ${answer.status}.`);
  return (await answer.json()) as Figures;
};

/** Returns a setting as it is in the environment of the process. */
const settingOf = async (cluster: Cluster, name: string, setting: string): Promise<string> =>
  (await environmentOf(cluster, name))[setting] ?? '';

/** Returns the environment of a process. */
export const environmentOf = async (cluster: Cluster, name: string): Promise<Readonly<Record<string, string>>> => {
  const variables = readFileSync(`/proc/${await pidOf(cluster, name)}/environ`, 'utf8').split('\0');
  return Object.fromEntries(variables.filter((one) => one.includes('=')).map((one) => one.split(/=(.*)/s)));
};

/** Returns a signer with the keys of the cluster's processes. */
export const signerOf = async (cluster: Cluster) => createSigner((await settingOf(cluster, 'relay', 'WAYMARK_SIGNING_KEY')).split(','));
