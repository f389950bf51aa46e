import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { writePrivate } from '@waymark/files/private.ts';
import { splitList } from '@waymark/runtime/settings.ts';
import { checkEdge } from '../../deploy/edge/check.ts';
import { edgeArguments, edgeConfiguration, frontSocket } from '../../deploy/edge/render.ts';
import { makeWorkersDirectory } from '../../deploy/edge/workers.ts';
import type { ChildPlan } from './child.ts';
import type { ClusterSettings } from './settings.ts';
import type { Upstreams } from './upstreams.ts';

export type EdgeOptions = {
  readonly settings: ClusterSettings;
  readonly port: number;
  /** The data directory, which belongs to this process. */
  readonly directory: string;
  readonly upstreams: Upstreams;
  /** The key that the services know the edge by. */
  readonly key: string;
  readonly stopWithinMs: number;
};

export type PreparedEdge = {
  readonly plan: ChildPlan;
  /** Makes the edge send requests to these replicas only. Resolves once no worker with an older configuration accepts connections.
   * @param master process id of the nginx master; undefined if none runs: the next one reads the new configuration */
  readonly route: (upstreams: Upstreams, master: number | undefined, stopped: AbortSignal) => Promise<void>;
  /** Removes the files of the workers. */
  readonly remove: () => void;
};

/** Time limit of a reload of the configuration. */
const reloadWithinMs = 30_000;
const pollEveryMs = 20;
/** Wait for a reload on systems where processes cannot be inspected; much longer than a reload takes. */
const reloadUnseenMs = 1_000;

/** Prepares the edge, which can then be started.
 * @throws NoEdge */
export const prepareEdge = ({ settings, port, directory, upstreams, key, stopWithinMs }: EdgeOptions): PreparedEdge => {
  const own = join(directory, 'edge');
  const file = join(own, 'nginx.conf');
  const pidFile = join(own, 'nginx.pid');
  mkdirSync(own, { recursive: true, mode: 0o700 });
  endLeftOver(pidFile);
  const workers = workersDirectory(join(own, 'workers'));
  const write = (to: Upstreams): void => {
    const { auth, queryGateway: query, auditor, commands } = to;
    const { pinpoint: pinpoints, list: lists, category: categories, happening: events, audit } = commands;
    const text = edgeConfiguration({
      listen: `${settings.WAYMARK_HOST}:${port}`,
      directory: workers,
      upstreams: { auth, query, auditor, pinpoints, lists, categories, events, audit },
      trusted: splitList(settings.WAYMARK_TRUSTED_PROXIES),
      key,
    });
    writePrivate(file, text);
  };
  write(upstreams);
  const parameters = edgeArguments(workers, file, pidFile);
  checkEdge(settings.WAYMARK_NGINX, parameters);
  return {
    plan: {
      name: 'edge',
      command: [settings.WAYMARK_NGINX, ...parameters],
      environment: process.env,
      prepare: () => rmSync(frontSocket(workers), { force: true }),
      stopSignal: 'SIGQUIT',
      stopWithinMs,
      isSupervised: false,
    },
    route: async (to, master, stopped) => {
      write(to);
      if (master !== undefined) await reload(master, stopped);
    },
    remove: () => rmSync(workers, { recursive: true, force: true }),
  };
};

/** Makes a new directory, and removes the one that a crash has left behind.
 * @param file the file that stores the path of the directory */
const workersDirectory = (file: string): string => {
  if (existsSync(file)) rmSync(readFileSync(file, 'utf8'), { recursive: true, force: true });
  const directory = makeWorkersDirectory();
  writeFileSync(file, directory);
  return directory;
};

/** Makes the master read its configuration, and waits until workers with the new one accept connections and no old worker does. */
const reload = async (master: number, stopped: AbortSignal): Promise<void> => {
  const old = new Set(workersOf(master));
  process.kill(master, 'SIGHUP');
  if (old.size === 0) return void (await pause(reloadUnseenMs, undefined, { signal: stopped }).catch(() => undefined));
  const deadlineMs = performance.now() + reloadWithinMs;
  const isDone = (): boolean => {
    const now = workersOf(master);
    return now.some((pid) => !old.has(pid)) && now.every((pid) => !old.has(pid) || isShuttingDown(pid));
  };
  while (!stopped.aborted && !isDone()) {
    if (performance.now() > deadlineMs) throw new Error(`nginx did not reload its configuration within ${reloadWithinMs} ms.`);
    await pause(pollEveryMs);
  }
};

/** Returns the workers of a master; none if processes cannot be inspected. */
const workersOf = (master: number): readonly number[] => {
  const text = readOrEmpty(`/proc/${master}/task/${master}/children`);
  return text.split(' ').filter(Boolean).map(Number);
};

/** Whether a worker shuts down. nginx changes the process title then, and closes the listening sockets at the same time. */
const isShuttingDown = (pid: number): boolean =>
  !/^nginx: worker process\s*$/.test(readOrEmpty(`/proc/${pid}/cmdline`).replaceAll('\0', ' '));

const readOrEmpty = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** Ends the nginx master and workers that a crash of this process has left behind, even if the master is gone. The directory belongs to
 * this process alone, and so does every nginx that runs in it. */
const endLeftOver = (pidFile: string): void => {
  if (!existsSync(pidFile)) return;
  const master = Number(readFileSync(pidFile, 'utf8'));
  for (const pid of nginxOfGroup(master)) process.kill(pid, 'SIGTERM');
};

/** Returns the nginx processes of a group; none if processes cannot be inspected. */
const nginxOfGroup = (group: number): readonly number[] => {
  const pids = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return pids.map(Number).filter((pid) => isNginxOf(pid, group));
};

/** Parses `pid (name) state parent group …`. */
const isNginxOf = (pid: number, group: number): boolean => {
  const [, name, ofGroup] = /^\d+ \((.*)\) \w \d+ (\d+) /.exec(readOrEmpty(`/proc/${pid}/stat`)) ?? [];
  return name === 'nginx' && Number(ofGroup) === group;
};
