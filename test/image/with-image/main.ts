#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { GenericContainer, Wait } from 'testcontainers';
import { freePort } from '../../edge/edge.ts';

// Runs a command while a standalone server runs from its image. Tests that can use any installation use this one.
//
//   .ci/docker --images node services/cli/bootstrap.cjs node test/image/with-image/main.ts npm test -- test/api

const readyWithinMs = 120_000;

const [command = '', ...parameters] = process.argv.slice(2);
const [api, operator] = [await freePort(), await freePort()];
const url = `http://127.0.0.1:${api}`;
const token = randomBytes(32).toString('base64url');
const container = await new GenericContainer(process.env['WAYMARK_TEST_IMAGE'] ?? '')
  .withUser('12345:0')
  .withTmpFs({ '/tmp': 'rw' })
  .withEnvironment({ WAYMARK_PUBLIC_URL: url, WAYMARK_OPS_TOKEN: token, WAYMARK_RATE_LIMITS: 'off' })
  .withExposedPorts({ container: 8080, host: api }, { container: 8081, host: operator })
  .withWaitStrategy(Wait.forHttp('/readyz', 8081))
  .withStartupTimeout(readyWithinMs)
  .start();
const child = spawn(command, parameters, {
  stdio: 'inherit',
  env: {
    ...process.env,
    WAYMARK_TEST_URL: url,
    WAYMARK_TEST_OPS_URL: `http://127.0.0.1:${operator}`,
    WAYMARK_TEST_OPS_TOKEN: token,
  },
});
process.exitCode = await new Promise<number>((resolve, reject) => {
  child.once('error', reject);
  child.once('exit', (ended) => resolve(ended ?? 1));
});
await container.stop();
