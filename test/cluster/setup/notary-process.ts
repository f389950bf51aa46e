import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { notaryKey } from '../../api/evidence.ts';
import { inherited } from '../../engines/environment.ts';
import type { ClusterSettings } from './cluster.ts';

const root = join(import.meta.dirname, '../../..');

/** A notary of a cluster, without the other processes. */
export type NotaryProcess = {
  readonly printed: () => string;
  /** Resolves once the process has ended, with its signal, or else null. */
  readonly exited: Promise<NodeJS.Signals | null>;
  /** Sends SIGTERM.
   * @throws if the process exits with an error */
  readonly stop: () => Promise<void>;
  readonly kill: () => Promise<void>;
};

/** Starts a notary that signs every second.
 * @param preload a module that Node loads before it */
export const startNotaryProcess = (settings: ClusterSettings, preload?: string): NotaryProcess => {
  const loaded = preload === undefined ? [] : ['--import', preload];
  const child = spawn(process.execPath, [...loaded, 'services/notary/main.ts'], {
    cwd: root,
    env: { ...inherited, ...defaults, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const killChild = (): boolean => child.kill('SIGKILL');
  process.once('exit', killChild);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk;
    });
  }
  const exited = once(child, 'close').then(() => {
    process.off('exit', killChild);
    return child.signalCode;
  });
  return {
    exited,
    printed: () => printed,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      if (child.exitCode !== 0) throw new Error(`The notary ended with ${child.exitCode ?? child.signalCode}:\n${printed}`);
    },
    kill: async () => {
      killChild();
      await exited;
    },
  };
};

const defaults = {
  WAYMARK_OPS_PORT: '0',
  WAYMARK_STATUS_TOKEN: 'k'.repeat(32),
  WAYMARK_NOTARY_KEY: notaryKey.toString('base64'),
  WAYMARK_NOTARY_SECONDS: '1',
};
