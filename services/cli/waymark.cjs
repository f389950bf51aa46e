#!/usr/bin/env node
'use strict';
// The entry point of `waymark`. On Node 24 with everything installed, it is the command line itself. Otherwise it first installs what is
// missing, and starts again on the installed Node where the present one is too old.

const { enableCompileCache } = require('node:module');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { compileCache, fail, librariesDigest, nodeFile, ownNodeServes, prepare, runPrepared } = require('./bootstrap.cjs');

const PARENT_LOOK_EVERY_MS = 500;

/** Ends this process when its parent ends. The shell of npm does not forward signals, so a process that was started through npm would
 * continue without its parent. */
const endWithParent = () => {
  const parent = process.ppid;
  const look = () => process.ppid === parent || process.kill(process.pid, 'SIGTERM');
  setInterval(look, PARENT_LOOK_EVERY_MS).unref();
};

const commandLine = async () => {
  process.env.NODE_COMPILE_CACHE = compileCache;
  enableCompileCache(compileCache);
  const { bundleOf } = await import('./bundle/bundle.ts');
  return import(pathToFileURL(path.join(bundleOf(librariesDigest()), 'cli.js')));
};

const startOver = () => runPrepared(nodeFile(), [__filename, ...process.argv.slice(2)]).then(process.exit);

if (process.env.npm_command) endWithParent();
prepare('production')
  .then(ownNodeServes ? commandLine : startOver)
  .catch(fail);
