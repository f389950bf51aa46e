#!/usr/bin/env node
'use strict';
// What `waymark` starts. On Node 24 with everything installed it is the command line itself; before that, it gets there.

const { enableCompileCache } = require('node:module');
const { compileCache, fail, nodeFile, ownNodeServes, prepare, runPrepared } = require('./bootstrap.cjs');

const PARENT_LOOK_EVERY_MS = 500;

/** npm's shell does not hand signals on: what was started through npm ends when what started it is gone. */
const endWithParent = () => {
  const parent = process.ppid;
  const look = () => process.ppid === parent || process.kill(process.pid, 'SIGTERM');
  setInterval(look, PARENT_LOOK_EVERY_MS).unref();
};

const commandLine = () => {
  process.env.NODE_COMPILE_CACHE = compileCache;
  enableCompileCache(compileCache);
  return import('./main.ts');
};

const startOver = () => runPrepared(nodeFile(), [__filename, ...process.argv.slice(2)]).then(process.exit);

if (process.env.npm_command) endWithParent();
prepare('production')
  .then(ownNodeServes ? commandLine : startOver)
  .catch(fail);
