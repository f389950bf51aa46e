import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listed } from '@waymark/process/settings.ts';
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
  writeFileSync(
    file,
    edgeConfiguration({
      listen,
      upstreams: { auth, query, pinpoints, lists, categories, events },
      trusted: listed(settings.WAYMARK_TRUSTED_PROXIES),
    }),
  );
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

/** Master and workers that a crash of this process has left behind, the master or not: the directory is ours alone, and so is what runs in it. */
const endLeftOver = (pidFile: string): void => {
  if (!existsSync(pidFile)) return;
  const master = Number(readFileSync(pidFile, 'utf8'));
  for (const pid of nginxOfGroup(master)) process.kill(pid, 'SIGTERM');
};

/** Where processes cannot be looked at, none. */
const nginxOfGroup = (group: number): readonly number[] => {
  const pids = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return pids.map(Number).filter((pid) => isNginxOf(pid, group));
};

/** `pid (name) state parent group …` */
const isNginxOf = (pid: number, group: number): boolean => {
  try {
    const [, name, ofGroup] = /^\d+ \((.*)\) \w \d+ (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return name === 'nginx' && Number(ofGroup) === group;
  } catch {
    return false;
  }
};
