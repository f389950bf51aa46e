#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { controlContainer, readRegister } from '../containers.ts';

// The command that tests find in WAYMARK_ENGINES_CONTROL if testcontainers started an engine: `main.ts kill redis`. It passes requests for
// other engines on to the command for these engines.

const [verb = '', engine = ''] = process.argv.slice(2);
const register = process.env['WAYMARK_TEST_CONTAINERS'] ?? '';
const said = await controlContainer(register, verb, engine);
if (said === undefined) {
  const { otherwise } = readRegister(register);
  if (otherwise === undefined) throw new Error(`${engine} was not started by testcontainers, and there is no other command for it`);
  process.exitCode = spawnSync(otherwise, [verb, engine], { stdio: 'inherit' }).status ?? 1;
} else if (said !== '') console.log(said);
