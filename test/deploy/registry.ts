import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../crash/until.ts';
import { freePort } from '../edge/edge.ts';
import { inherited } from '../engines/environment.ts';

/** The directory of the registry's images. Those that one run has pushed, another one pulls. */
const directory = process.env['WAYMARK_TEST_REGISTRY'];

export type Registry = { readonly address: string; readonly stop: () => Promise<void> };

/** Declares tests that need a registry: Debian's docker-registry. */
export const describeWithRegistry = (title: string, body: () => void): void => {
  if (directory) describe(title, body);
  else describe.skip(`${title} (left out: needs WAYMARK_TEST_REGISTRY)`, body);
};

/** Starts the registry on loopback. */
export const startRegistry = async (): Promise<Registry> => {
  if (directory === undefined) throw new Error('WAYMARK_TEST_REGISTRY is not set');
  mkdirSync(directory, { recursive: true });
  const address = `127.0.0.1:${await freePort()}`;
  const place = mkdtempSync(join(tmpdir(), 'waymark-registry-'));
  const file = join(place, 'config.yml');
  const configuration = { version: '0.1', storage: { filesystem: { rootdirectory: directory } }, http: { addr: address } };
  writeFileSync(file, JSON.stringify(configuration));
  const child = spawn('docker-registry', ['serve', file], { env: inherited, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  await until(() =>
    fetch(`http://${address}/v2/`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return {
    address,
    stop: async () => {
      child.kill();
      await ended;
      rmSync(place, { recursive: true });
    },
  };
};
