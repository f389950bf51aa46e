import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EdgeService, edgeArguments, edgeConfiguration } from '../../deploy/edge/render.ts';
import { makeWorkersDirectory } from '../../deploy/edge/workers.ts';
import { type Client, openClient } from '../api/client.ts';
import { type Stub, startStub } from './stub.ts';

const upWithinMs = 300_000;
/** The address of a proxy in front of the edge, which the edge trusts. */
export const trustedProxy = '127.0.0.4';
const services = [
  'auth',
  'query',
  'auditor',
  'pinpoints',
  'lists',
  'categories',
  'events',
  'audit',
] as const satisfies readonly EdgeService[];

/** nginx with the configuration of the edge, in front of services that only report the requests they receive. */
export type Edge = Client & {
  readonly port: number;
  readonly stubs: Readonly<Record<EdgeService | 'query2' | 'lists2', Stub>>;
  /** Returns all requests that arrived at any service since the last call. */
  readonly arrived: () => Stub['arrived'];
  /** Sends a signal to nginx, and returns its exit code. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
  /** Returns the process ids of the workers. */
  readonly workers: () => readonly number[];
  /** The directory that the workers write to. */
  readonly directory: string;
  /** Stops nginx and the services, and removes their directories. */
  readonly remove: () => Promise<void>;
};

export const describeWithNginx = (title: string, body: () => void): void => {
  if (spawnSync('nginx', ['-v'], { stdio: 'ignore' }).status === 0) describe(title, body);
  else describe.skip(`${title} (left out: needs nginx)`, body);
};

type StartOptions = { readonly trusted?: readonly string[]; readonly workers?: number; readonly hasAuditor?: boolean };

/** Starts an edge with two gateways, two command services for lists, and one service of each other kind. */
export const startEdge = async ({ trusted = [trustedProxy], workers: count = 1, hasAuditor = true }: StartOptions = {}): Promise<Edge> => {
  const names = [...services, 'query2', 'lists2'] as const;
  const started = await Promise.all(names.map(async (name) => [name, await startStub(name)] as const));
  const stubs = Object.fromEntries(started) as Edge['stubs'];
  const upstreams = Object.fromEntries(services.map((service) => [service, [stubs[service].address]])) as Record<EdgeService, string[]>;
  upstreams.query.push(stubs.query2.address);
  upstreams.lists.push(stubs.lists2.address);
  if (!hasAuditor) upstreams.auditor = [];

  const port = await freePort();
  const directory = makeWorkersDirectory();
  // Like a data directory: only the master may enter it.
  const own = mkdtempSync(join(tmpdir(), 'waymark-edge-own-'));
  chmodSync(own, 0o700);
  const configuration = join(own, 'nginx.conf');
  const listen = `127.0.0.1:${port}`;
  writeFileSync(configuration, edgeConfiguration({ listen, directory, upstreams, workers: count, trusted }));
  const nginx = spawn('nginx', edgeArguments(directory, configuration, join(own, 'nginx.pid')), { stdio: ['ignore', 'ignore', 'pipe'] });
  let printed = '';
  nginx.stderr.on('data', (chunk) => {
    printed += chunk;
  });
  const exited = new Promise<number | null>((resolve) => {
    nginx.once('exit', resolve);
  });
  const client = openClient(`http://127.0.0.1:${port}`);
  await ready(client, nginx).catch((error) => {
    throw new Error(`${error.message}\n${printed}`, { cause: error });
  });
  const end = (signal: NodeJS.Signals): Promise<number | null> => {
    nginx.kill(signal);
    return exited;
  };
  const remove = async (): Promise<void> => {
    client.close();
    await end('SIGTERM');
    await Promise.all(Object.values(stubs).map((stub) => stub.stop()));
    for (const one of [directory, own]) rmSync(one, { recursive: true });
  };
  const arrived = (): Stub['arrived'] => Object.values(stubs).flatMap((stub) => stub.arrived.splice(0));
  const workers = (): readonly number[] =>
    readFileSync(`/proc/${nginx.pid}/task/${nginx.pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return { ...client, port, stubs, arrived, end, workers, directory, remove };
};

const ready = async (client: Client, nginx: ChildProcess): Promise<void> => {
  const deadline = Date.now() + upWithinMs;
  for (;;) {
    const answer = await client.send({ method: 'GET', path: '/' }).catch(() => undefined);
    if (answer?.status === 200) return;
    if (nginx.exitCode !== null || Date.now() > deadline) throw new Error('nginx did not start');
    await sleep(20);
  }
};

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
