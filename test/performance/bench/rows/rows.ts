import type { RowResult } from '../figure.ts';
import type { BenchServers } from '../servers.ts';
import { measureAlone, measureCreate } from './creation.ts';
import { measureMemory, measureStart } from './idle.ts';
import { measureLag, measureRebuild } from './log.ts';
import { measureMillionGet, measureMillionPage } from './million.ts';
import { measureGet, measurePage, measureUpdate } from './throughput.ts';

export type Row = {
  readonly measure: (bench: BenchServers) => Promise<RowResult>;
  /** Whether the row applies to Waymark only. */
  readonly waymarkOnly?: true;
  readonly fullOnly?: true;
};

/** The order matters. Reads come before any content has grown, and the last two rows stop all servers. */
export const rows: Readonly<Record<string, Row>> = {
  get: { measure: measureGet },
  page: { measure: measurePage },
  update: { measure: measureUpdate },
  alone: { measure: measureAlone },
  create: { measure: measureCreate },
  lag: { measure: measureLag, waymarkOnly: true },
  'million-get': { measure: measureMillionGet, waymarkOnly: true, fullOnly: true },
  'million-page': { measure: measureMillionPage, waymarkOnly: true, fullOnly: true },
  rebuild: { measure: measureRebuild, waymarkOnly: true },
  start: { measure: measureStart },
  memory: { measure: measureMemory },
};
