'use strict';

const { spawn } = require('node:child_process');
const { constants } = require('node:os');

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const SIGNALLED = 128;

/** Runs a command to its end and forwards signals to it. Resolves to its exit code, and to whether a signal was forwarded. Where a signal
 * ended the command, the exit code is the one that a shell would report. The command's output goes to `onOutput` if it is given, otherwise
 * to the output of this process. */
const run = (command, args, { onOutput, ...options } = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: onOutput ? ['ignore', 'pipe', 'pipe'] : 'inherit', ...options });
    let interrupted = false;
    const forward = (signal) => {
      interrupted = true;
      child.kill(signal);
    };
    for (const signal of FORWARDED) process.on(signal, forward);
    const settle = (outcome, value) => {
      for (const signal of FORWARDED) process.off(signal, forward);
      outcome(value);
    };
    child.stdout?.on('data', onOutput);
    child.stderr?.on('data', onOutput);
    child.once('error', (error) => settle(reject, error));
    child.once('close', (code, signal) => settle(resolve, { code: code ?? SIGNALLED + constants.signals[signal], interrupted }));
  });

module.exports = { run };
