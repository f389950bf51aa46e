#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { startContainer } from '../server.ts';

// Runs a command while a standalone server runs from its image. Tests that can use any installation use this one; those that need one with settings
// of its own start another container.
//
//   .ci/docker --images node services/cli/bootstrap.cjs node test/image/with-image/main.ts npm test -- test/api

const [command = '', ...parameters] = process.argv.slice(2);
const { url, operatorUrl, operatorToken, stop } = await startContainer({});
const child = spawn(command, parameters, {
  stdio: 'inherit',
  env: {
    ...process.env,
    WAYMARK_TEST_FORM: 'image',
    WAYMARK_TEST_URL: url,
    WAYMARK_TEST_OPS_URL: operatorUrl,
    WAYMARK_TEST_OPS_TOKEN: operatorToken,
  },
});
process.exitCode = await new Promise<number>((resolve, reject) => {
  child.once('error', reject);
  child.once('exit', (ended) => resolve(ended ?? 1));
});
await stop();
