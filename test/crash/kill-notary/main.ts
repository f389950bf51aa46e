// Loaded before a server. Kills the process at a step of its notary, the WAYMARK_TEST_TIMES-th time: WAYMARK_TEST_STEP is `sign` (signed, and not
// in the log), `store` (in the log, and not in the notary's record) or `publish` (in the record, and not in the place).

import crypto from 'node:crypto';
import blocking from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import SQLite from 'better-sqlite3';

const step = process.env['WAYMARK_TEST_STEP'];
let timesLeft = Number(process.env['WAYMARK_TEST_TIMES']);

type Call = (...parameters: unknown[]) => unknown;

const reach = (reached: string): void => {
  if (reached !== step) return;
  timesLeft -= 1;
  if (timesLeft === 0) process.kill(process.pid, 'SIGKILL');
};

const sign = crypto.sign as Call;
const link = blocking.linkSync as Call;
Object.assign(crypto, {
  sign: (...parameters: unknown[]) => {
    const signature = sign(...parameters);
    reach('sign');
    return signature;
  },
});
Object.assign(blocking, {
  linkSync: (...parameters: unknown[]) => {
    reach('publish');
    return link(...parameters);
  },
});
syncBuiltinESMExports();

const { prepare } = SQLite.prototype;
SQLite.prototype.prepare = function (this: SQLite.Database, source: string) {
  const statement = prepare.call(this, source);
  if (!source.startsWith('insert or replace into last')) return statement;
  const run = statement.run.bind(statement) as Call;
  statement.run = (...parameters: unknown[]) => {
    reach('store');
    return run(...parameters) as ReturnType<typeof statement.run>;
  };
  return statement;
} as typeof prepare;
