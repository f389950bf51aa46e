import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { GenericContainer } from 'testcontainers';
import { until } from '../cluster/setup/until.ts';
import { freePort } from '../edge/edge.ts';

const readyWithinMs = 120_000;
const stopWithinMs = 60_000;

/** A standalone server in a container, in the network of this machine: its clients have the addresses that they have without one. */
export type ContainerServer = {
  readonly url: string;
  readonly operatorUrl: string;
  readonly operatorToken: string;
  /** Resolves to a directory with a copy of everything that the server has stored. */
  readonly kept: () => Promise<string>;
  readonly printed: () => string;
  readonly stop: () => Promise<void>;
};

/** Starts the image that `WAYMARK_TEST_IMAGE` names. Resolves once it is ready. */
export const startContainer = async (settings: Readonly<Record<string, string>>): Promise<ContainerServer> => {
  const [api, operator] = [await freePort(), await freePort()];
  const [url, operatorUrl] = [`http://127.0.0.1:${api}`, `http://127.0.0.1:${operator}`];
  const operatorToken = randomBytes(32).toString('base64url');
  let printed = '';
  const container = await new GenericContainer(process.env['WAYMARK_TEST_IMAGE'] ?? '')
    .withUser('12345:0')
    .withTmpFs({ '/tmp': 'rw' })
    .withNetworkMode('host')
    .withEnvironment({
      WAYMARK_PORT: String(api),
      WAYMARK_OPS_PORT: String(operator),
      WAYMARK_PUBLIC_URL: url,
      WAYMARK_OPS_TOKEN: operatorToken,
      WAYMARK_RATE_LIMITS: 'off',
      ...settings,
    })
    .withLogConsumer((lines) => lines.on('data', (line) => (printed += line)))
    .start();
  const isReady = async (): Promise<boolean> => (await fetch(`${operatorUrl}/readyz`)).status === 200;
  await until('the container is ready', readyWithinMs, isReady).catch(async (error: Error) => {
    await container.stop();
    throw new Error(`${error.message}\n${printed}`, { cause: error });
  });
  const copies = mkdtempSync(join(tmpdir(), 'waymark-container-'));
  const kept = async (): Promise<string> => {
    const archive = join(copies, 'data.tar');
    writeFileSync(archive, await buffer(await container.copyArchiveFromContainer('/var/lib/waymark')));
    execFileSync('tar', ['--extract', '--file', archive, '--directory', copies]);
    rmSync(archive);
    return copies;
  };
  const stop = async (): Promise<void> => {
    await container.stop({ timeout: stopWithinMs });
    rmSync(copies, { recursive: true });
  };
  return { url, operatorUrl, operatorToken, kept, printed: () => printed, stop };
};
