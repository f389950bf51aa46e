import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, openClient } from '../api/client.ts';
import { inherited } from '../engines/environment.ts';
import { freePort } from './edge.ts';

const root = join(import.meta.dirname, '../..');
const upWithinMs = 300_000;

/** The process `waymark edge`, in front of one Service. */
export type EdgeProcess = Client & {
  readonly url: string;
  readonly child: ChildProcess;
  readonly directory: string;
  /** Resolves to the exit code. */
  readonly ended: Promise<number | null>;
  readonly remove: () => Promise<void>;
};

/** Starts `waymark edge`.
 * @param address of the Service that gets every request
 * @param settings in addition */
export const startEdgeProcess = async (address: string, settings: Readonly<Record<string, string>> = {}): Promise<EdgeProcess> => {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-edge-'));
  // Where root starts nginx, its workers are another user's.
  chmodSync(directory, 0o711);
  const url = `http://127.0.0.1:${await freePort()}`;
  const services = ['AUTH', 'QUERY', 'AUDITOR', 'PINPOINTS', 'LISTS', 'CATEGORIES', 'EVENTS', 'AUDIT'];
  const child = spawn(process.execPath, ['services/edge/main.ts'], {
    cwd: root,
    env: {
      ...inherited,
      WAYMARK_PORT: new URL(url).port,
      WAYMARK_EDGE_DIR: directory,
      WAYMARK_EDGE_WORKERS: '1',
      ...Object.fromEntries(services.map((service) => [`WAYMARK_EDGE_${service}`, address])),
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit').then(([code]: (number | null)[]) => code ?? null);
  let printed = '';
  child.stderr?.on('data', (chunk) => {
    printed += chunk;
  });
  const client = openClient(url);
  const remove = async (): Promise<void> => {
    client.close();
    child.kill('SIGTERM');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  for (const deadline = Date.now() + upWithinMs; ; await sleep(20)) {
    if ((await client.send({ method: 'GET', path: '/' }).catch(() => undefined)) !== undefined) break;
    if (child.exitCode === null && Date.now() < deadline) continue;
    await remove();
    throw new Error(`the edge did not start: ${printed}`);
  }
  return { ...client, url, child, directory, ended, remove };
};
