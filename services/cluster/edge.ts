import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { edgeArguments, edgeConfiguration } from '../../deploy/edge/render.ts';
import type { ChildPlan } from './child.ts';
import type { Upstreams } from './layout.ts';
import type { ClusterSettings } from './settings.ts';

export type EdgeOptions = {
  readonly settings: ClusterSettings;
  readonly port: number;
  /** The data directory, which this process owns. */
  readonly directory: string;
  readonly upstreams: Upstreams;
};

/** nginx is not there, or does not take its configuration. */
export class NoEdge extends Error {}

/** The edge, ready to be started. @throws NoEdge */
export const edgePlan = ({ settings, port, directory, upstreams }: EdgeOptions): ChildPlan => {
  const own = join(directory, 'edge');
  const file = join(own, 'nginx.conf');
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const { auth, queryGateway: query, commands } = upstreams;
  const { pinpoint: pinpoints, list: lists, category: categories, happening: events } = commands;
  const listen = `${settings.WAYMARK_HOST}:${port}`;
  writeFileSync(file, edgeConfiguration({ listen, upstreams: { auth, query, pinpoints, lists, categories, events } }));
  const parameters = edgeArguments(own, file);
  endLeftOver(join(own, 'nginx.pid'));
  test(settings.WAYMARK_NGINX, parameters);
  return {
    name: 'edge',
    command: [settings.WAYMARK_NGINX, ...parameters],
    environment: process.env,
    stopSignal: 'SIGQUIT',
    follows: false,
  };
};

const test = (nginx: string, parameters: readonly string[]): void => {
  const { error, status, stderr } = spawnSync(nginx, [...parameters, '-t'], { encoding: 'utf8' });
  if (error) throw new NoEdge(`The edge is nginx, which cannot be started here (${error.message}). WAYMARK_NGINX names another one.`);
  if (status !== 0) throw new NoEdge(`nginx does not take its configuration:\n${stderr}`);
};

/** One that a crash of this process has left behind: the directory is ours alone, and so is what runs in it. */
const endLeftOver = (pidFile: string): void => {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8'));
  if (Number.isSafeInteger(pid) && pid > 1 && isNginx(pid)) process.kill(pid, 'SIGTERM');
};

const isNginx = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'nginx';
  } catch {
    return false;
  }
};
