import { parseArgs } from 'node:util';
import { chosen } from '../options.ts';
import { type ClusterScale, full, quick, usual } from './limits.ts';
import { clusterRows } from './rows/rows.ts';

export type ClusterOptions = {
  readonly help: boolean;
  readonly scale: ClusterScale;
  readonly rows: readonly string[];
  /** Whether the table is written into docs/benchmarks.md. */
  readonly readme: boolean;
};

export const clusterUsage = `npm run bench -- cluster [options]

Measures a cluster on the engines that the environment names (WAYMARK_EVENTSTORE_URL and so on), and the standalone form in the same run.

  --quick              short rounds: about three minutes instead of ten
  --full               rebuilds 1,000,000 events, which takes some minutes more
  --only ROW,…         ${Object.keys(clusterRows).join(', ')}
  --writes-per-second  the write rate at which lag is measured: ${usual.writesPerSecond}
  --readme             writes the table into docs/benchmarks.md
  --help`;

export const readClusterOptions = (args: readonly string[]): ClusterOptions => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      only: { type: 'string' },
      'writes-per-second': { type: 'string' },
      readme: { type: 'boolean', default: false },
    },
  });
  const names = Object.keys(clusterRows);
  const sized = values.full ? full : values.quick ? quick : usual;
  const writesPerSecond = Number(values['writes-per-second'] ?? sized.writesPerSecond);
  if (!(writesPerSecond > 0)) throw new Error('--writes-per-second: a number');
  return {
    help: values.help,
    scale: { ...sized, writesPerSecond },
    rows: values.only === undefined ? names : chosen(values.only, names),
    readme: values.readme,
  };
};
