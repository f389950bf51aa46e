import { parseArgs } from 'node:util';
import { full, quick, type Scale } from './limits.ts';
import { rows } from './rows/rows.ts';
import type { Tested } from './servers.ts';

export type Options = {
  readonly help: boolean;
  readonly scale: Scale;
  readonly rows: readonly string[];
  readonly subjects: readonly Tested[];
};

export const usage = `npm run bench -- [options]
npm run bench -- cluster --help

  --quick              short rounds, without the million pinpoints (under two minutes instead of under ten)
  --million            includes the million pinpoints in a quick run (--no-million: leaves them out of a full one)
  --only ROW,…         ${Object.keys(rows).join(', ')}
  --subjects NAME,…    crud, waymark: both by default
  --help`;

export const readOptions = (args: readonly string[]): Options => {
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      help: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      million: { type: 'boolean' },
      only: { type: 'string' },
      subjects: { type: 'string', default: 'crud,waymark' },
    },
  });
  const subjects = chosen(values.subjects, ['crud', 'waymark'] as const);
  const wanted = values.only === undefined ? undefined : chosen(values.only, Object.keys(rows));
  const withMillion = values.million ?? !values.quick;
  const measured = Object.keys(rows).filter((name) => {
    if (rows[name]?.waymarkOnly && !subjects.includes('waymark')) return false;
    return wanted?.includes(name) ?? (!rows[name]?.fullOnly || withMillion);
  });
  return { help: values.help, scale: values.quick ? quick : full, rows: measured, subjects };
};

export const chosen = <Name extends string>(text: string, names: readonly Name[]): readonly Name[] => {
  const words = text.split(',');
  const unknown = words.filter((word) => !names.some((name) => name === word));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: not one of ${names.join(', ')}`);
  return names.filter((name) => words.includes(name));
};
