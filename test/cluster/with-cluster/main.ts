#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { startCluster } from '../setup/cluster.ts';

// Runs a command while a cluster runs on the engines that the environment names. Tests that can use any installation use this cluster.
// Tests that need a cluster with settings of its own start further clusters.
//
//   node test/cluster/with-cluster/main.ts npm test -- test/api

const [command = '', ...parameters] = process.argv.slice(2);
const cluster = await startCluster();
const child = spawn(command, parameters, {
  stdio: 'inherit',
  env: {
    ...process.env,
    WAYMARK_TEST_FORM: 'cluster',
    WAYMARK_TEST_URL: cluster.url,
    WAYMARK_TEST_OPS_URL: cluster.operatorUrl,
    WAYMARK_TEST_OPS_TOKEN: cluster.operatorToken,
  },
});
const code = await new Promise<number>((resolve, reject) => {
  child.once('error', reject);
  child.once('exit', (ended) => resolve(ended ?? 1));
});
await cluster.stop();
process.exitCode = code;
