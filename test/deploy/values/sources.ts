import type { TSchema } from '@sinclair/typebox';
import { type ChartService, chartServices } from './services.ts';

/** Where the chart takes a setting from. `settings`: the value of the same name. */
export type Source =
  | { readonly from: 'key'; readonly entry: string }
  | { readonly from: 'engine'; readonly engine: string; readonly field: string }
  | { readonly from: 'chart' | 'settings' };

/** The entries of the Secret with the installation's keys, by setting. */
const keys: Readonly<Record<string, string>> = {
  WAYMARK_OPS_TOKEN: 'operator',
  WAYMARK_STATUS_TOKEN: 'status',
  WAYMARK_CURSOR_KEY: 'cursor',
  WAYMARK_SIGNING_KEY: 'signing',
  WAYMARK_IDEMPOTENCY_KEY: 'idempotency',
  WAYMARK_REQUEST_ID_KEY: 'request-id',
  WAYMARK_EDGE_KEY: 'edge',
  WAYMARK_NOTARY_KEY: 'notary',
};
export const keyEntries: readonly string[] = Object.values(keys);

/** The engines, by the names of their values, with the prefix of their settings. */
const engines = {
  eventStore: 'WAYMARK_EVENTSTORE_',
  kafka: 'WAYMARK_KAFKA_',
  mongodb: 'WAYMARK_MONGODB_',
  redis: 'WAYMARK_REDIS_',
  media: 'WAYMARK_MEDIA_',
} as const;

/** The settings that the templates compute, or that have a value of their own. */
const ofTheChart: ReadonlySet<string> = new Set([
  'WAYMARK_HOST',
  'WAYMARK_PORT',
  'WAYMARK_OPS_HOST',
  'WAYMARK_OPS_PORT',
  'WAYMARK_PUBLIC_URL',
  'WAYMARK_DATA_DIR',
  'WAYMARK_NOTARY_DIR',
  'WAYMARK_CHECKPOINTS_TO',
  'WAYMARK_TLS_CA',
  'WAYMARK_MEMORY_MB',
  'WAYMARK_DRAIN_SECONDS',
  'WAYMARK_SERVICES',
  'WAYMARK_RESOURCES',
  'WAYMARK_NGINX',
]);

/** The settings of the edge alone: its key, and what the templates compute. */
const edgePrefix = 'WAYMARK_EDGE_';

/** Returns where the chart takes a setting of a service from.
 * @throws for a secret that no value and no entry of a Secret provides */
export const sourceOf = (name: string, { name: service, secrets }: ChartService): Source => {
  const entry = keys[name];
  if (entry !== undefined) return { from: 'key', entry };
  const engine = Object.entries(engines).find(([, prefix]) => name.startsWith(prefix));
  if (engine !== undefined) return { from: 'engine', engine: engine[0], field: camelCase(name.slice(engine[1].length)) };
  if (ofTheChart.has(name) || name.startsWith(edgePrefix)) return { from: 'chart' };
  if (secrets.includes(name)) throw new Error(`The chart has no Secret for ${name}, which ${service} reads`);
  return { from: 'settings' };
};

/** A setting of an engine: its field in the values, and the schemas of the services that read it. */
export type EngineSetting = { readonly field: string; readonly schema: TSchema; readonly isSecret: boolean };

/** Returns the settings of each engine that any service reads. */
export const engineSettings = (): Readonly<Record<string, readonly EngineSetting[]>> =>
  Object.fromEntries(Object.keys(engines).map((engine) => [engine, settingsOf(engine)]));

const settingsOf = (wanted: string): readonly EngineSetting[] => {
  const found = new Map<string, EngineSetting>();
  for (const service of Object.values(chartServices)) {
    for (const [name, schema] of Object.entries(service.schema.properties)) {
      const source = sourceOf(name, service);
      if (source.from !== 'engine' || source.engine !== wanted) continue;
      found.set(source.field, { field: source.field, schema, isSecret: service.secrets.includes(name) });
    }
  }
  return [...found.values()];
};

const camelCase = (name: string): string => name.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
