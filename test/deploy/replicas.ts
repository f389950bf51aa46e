import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chart } from './helm.ts';

type ChartValues = Readonly<Record<string, { readonly replicas?: number } | null>>;
const values: ChartValues = parse(readFileSync(join(chart, 'values.yaml'), 'utf8'));

/** The services of which the chart runs several, as its values name them. */
export const replicatedServices = Object.keys(values).filter((name) => values[name]?.replicas !== undefined);
