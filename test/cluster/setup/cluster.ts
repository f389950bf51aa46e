import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, openClient } from '../../api/client.ts';
import { inherited } from '../../engines/environment.ts';
import { withLog } from '../history/facts.ts';
import { newOwn, type Own, removeOwn } from './own-names.ts';
import { notaryOfTests } from './shared-notary.ts';
import { acceptSigningKey, signingKey } from './signing-key.ts';

const root = join(import.meta.dirname, '../../..');
/** This bound only detects a hang. */
const startWithinMs = 300_000;
/** Each check queries all processes. With more frequent checks they would do little else while they start. */
const pollEveryMs = 150;
const askedMs = 5_000;
/** The duration of a start on an idle machine with two cores. */
const usualStartMs = 8_000;

/** The settings of all processes, by environment variable. */
export type ClusterSettings = Readonly<Record<string, string>>;

export type ClusterProcess = {
  readonly name: string;
  readonly pid: number | undefined;
  readonly ready: boolean;
  /** Whether this process is the active one, for services of which one process is active at a time. */
  readonly active?: boolean;
};

/** A running cluster, wherever its processes are. */
export type ServedCluster = {
  readonly url: string;
  readonly operatorUrl: string;
  readonly operatorToken: string;
  /** How many times longer than usual the start took, at least 1. Bounds that no document promises are scaled by it. */
  readonly slowness: number;
  readonly printed: () => string;
  readonly operator: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Whether all processes are ready and nothing is missing. */
  readonly ready: () => Promise<boolean>;
  /** Returns all services, as far as they answer, including the operator service. */
  readonly processes: () => Promise<readonly ClusterProcess[]>;
};

/** A whole cluster on this machine: the supervisor and the processes that it runs. */
export type Cluster = ServedCluster & {
  readonly directory: string;
  readonly own: Own;
  /** The position at which the log ended before the cluster was started. */
  readonly logBefore: number;
  /** Returns the process ids of the edge, which is no service. */
  readonly edge: () => { readonly master: number; readonly workers: readonly number[] };
  /** Sends SIGTERM, and removes everything that the cluster has on the engines.
   * @throws if the cluster exits with an error */
  readonly stop: () => Promise<void>;
  /** Sends SIGTERM, and keeps everything for another start at the same place.
   * @throws if the cluster exits with an error */
  readonly pause: () => Promise<void>;
};

/** The place of a cluster: its directory, its names on the engines, and its output. */
export type ClusterPlace = { readonly directory: string; readonly own: Own; readonly printed: string[] };

export const newPlace = (): ClusterPlace => ({ directory: mkdtempSync(join(tmpdir(), 'waymark-cluster-')), own: newOwn(), printed: [] });

/** Returns the environment in which the processes of a cluster find the engines of the tests, and their own names on them. */
export const engineSettings = ({ database, topic, prefix }: Own): ClusterSettings => ({
  ...Object.fromEntries(engineNames.map((name) => [name, process.env[name] ?? ''])),
  WAYMARK_MONGODB_DATABASE: database,
  WAYMARK_KAFKA_TOPIC: topic,
  WAYMARK_REDIS_PREFIX: prefix,
});

const engineNames = [
  'WAYMARK_EVENTSTORE_URL',
  'WAYMARK_KAFKA_BROKERS',
  'WAYMARK_MONGODB_URL',
  'WAYMARK_REDIS_URL',
  'WAYMARK_MEDIA_URL',
] as const;

export type StartOptions = {
  /** Where the sources are, if not here. */
  readonly checkout?: string;
  /** Whether the log accepts the tests' signing key first, as it must where other installations have used it. */
  readonly acceptKey?: boolean;
};

/** Starts a cluster on any free ports, at a place of its own. Everything is ready when this returns. */
export const startCluster = async (
  settings: ClusterSettings = {},
  place = newPlace(),
  { checkout = root, acceptKey = true }: StartOptions = {},
): Promise<Cluster> => {
  const { directory, own } = place;
  const printed = (): string => place.printed.join('');
  if (acceptKey) await acceptSigningKey();
  const startedMs = performance.now();
  const { head: logBefore } = await withLog((log) => log.state());
  // As users start it. Some earlier releases could not start a cluster so.
  const program = checkout === root ? ['services/cli/waymark.cjs', 'cluster'] : ['services/cluster/main.ts'];
  const child = spawn(process.execPath, program, {
    cwd: checkout,
    env: { ...inherited, ...defaults(directory), ...engineSettings(own), ...settings },
    // The cluster stops when this channel closes: with the process of the test, however that ends.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A Ctrl-C at the terminal is for the test, which stops what it has started.
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => place.printed.push(String(chunk)));
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const end = (): Promise<number | null> => {
    child.kill('SIGTERM');
    return exited;
  };
  const remove = async (): Promise<number | null> => {
    const code = await end();
    rmSync(directory, { recursive: true, force: true });
    await removeOwn(own);
    return code;
  };
  try {
    const file = await ready(directory, child);
    const slowness = Math.max(1, (performance.now() - startedMs) / usualStartMs);
    return clusterAt(file, { directory, own, slowness, logBefore, printed, end, remove });
  } catch (error) {
    await remove();
    throw new Error(`${(error as Error).message}\n${printed()}`, { cause: error });
  }
};

const defaults = (directory: string): ClusterSettings => ({
  WAYMARK_DATA_DIR: directory,
  WAYMARK_PORT: '0',
  WAYMARK_OPS_PORT: '0',
  WAYMARK_RATE_LIMITS: 'off',
  WAYMARK_SIGNING_KEY: signingKey,
  ...quickly,
  ...notaryOfTests(),
});

/** Refused requests are recorded at once, and checkpoints signed, so that a cluster at rest appends nothing more. */
const quickly = { WAYMARK_REFUSALS_SECONDS: '1', WAYMARK_NOTARY_SECONDS: '1' };

type OperatorFile = { readonly url: string; readonly token: string; readonly api: string };

/** Waits for the operator's file, and then until all processes are ready. */
const ready = async (directory: string, child: ChildProcess): Promise<OperatorFile> => {
  const file = join(directory, 'operator.json');
  const deadlineMs = performance.now() + startWithinMs;
  for (;;) {
    if (existsSync(file)) {
      const written: OperatorFile = JSON.parse(readFileSync(file, 'utf8'));
      if (await isReady(written.url)) return written;
    }
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`The cluster ended: ${child.exitCode ?? child.signalCode}.`);
    if (performance.now() > deadlineMs) throw new Error(`The cluster was not ready within ${startWithinMs} ms.`);
    await pause(pollEveryMs);
  }
};

const isReady = async (operatorUrl: string): Promise<boolean> =>
  fetch(`${operatorUrl}/readyz`, { headers: { Connection: 'close' }, signal: AbortSignal.timeout(askedMs) }).then(
    ({ status }) => status === 200,
    () => false,
  );

type Held = Pick<Cluster, 'directory' | 'own' | 'slowness' | 'logBefore' | 'printed'> & {
  readonly end: () => Promise<number | null>;
  readonly remove: () => Promise<number | null>;
};

const clusterAt = ({ url: operatorUrl, token, api }: OperatorFile, { end, remove, directory, own, logBefore, ...held }: Held): Cluster => {
  const expectSuccess = (code: number | null): void => {
    if (code !== 0) throw new Error(`The cluster exited with ${code}:\n${held.printed()}`);
  };
  return {
    ...servedCluster({ ...held, url: api, operatorUrl, operatorToken: token }),
    directory,
    own,
    logBefore,
    edge: () => edgeIn(directory),
    stop: async () => expectSuccess(await remove()),
    pause: async () => expectSuccess(await end()),
  };
};

/** Returns the cluster of an operator service. */
export const servedCluster = (at: Pick<ServedCluster, 'url' | 'operatorUrl' | 'operatorToken' | 'slowness' | 'printed'>): ServedCluster => {
  const operator: ServedCluster['operator'] = async (method, path, body) => {
    // This uses a connection of its own. A connection that is kept would outlive the process at its other end.
    const client = openClient(at.operatorUrl);
    try {
      return await client.send({
        method,
        path: `/operator${path}`,
        headers: { Authorization: `Bearer ${at.operatorToken}`, 'Content-Type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    } finally {
      client.close();
    }
  };
  return {
    ...at,
    operator,
    ready: () => isReady(at.operatorUrl),
    processes: async () => {
      const { processes } = (await operator('GET', '/status')).body as { processes: ClusterProcess[] };
      const { pid, ready } = (await operator('GET', '/figures')).body as { pid: number; ready: boolean };
      return [...processes, { name: 'operator', pid, ready }];
    },
  };
};

const edgeIn = (directory: string): ReturnType<Cluster['edge']> => {
  const master = Number(readFileSync(join(directory, 'edge', 'nginx.pid'), 'utf8'));
  const workers = readFileSync(`/proc/${master}/task/${master}/children`, 'utf8');
  return { master, workers: workers.split(' ').filter(Boolean).map(Number) };
};
