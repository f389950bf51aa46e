import { readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { addressBehind } from '@waymark/auth/app.ts';
import { Ajv, type ErrorObject } from 'ajv';

/** Everything that can be configured: environment variables, nothing else. The README's table is made from it. */
export const settingsSchema = Type.Object({
  WAYMARK_HOST: Type.String({ default: '127.0.0.1', minLength: 1, description: 'Address that the API listens on' }),
  WAYMARK_PORT: Type.Integer({ default: 8080, minimum: 0, maximum: 65_535, description: 'Port of the API; 0: any free one' }),
  WAYMARK_OPS_HOST: Type.String({ default: '127.0.0.1', minLength: 1, description: 'Address that the operator API listens on' }),
  WAYMARK_OPS_PORT: Type.Integer({
    default: 8081,
    minimum: 0,
    maximum: 65_535,
    description: 'Port of health, metrics and the operator API; 0: any free one',
  }),
  WAYMARK_DATA_DIR: Type.String({ default: 'waymark-data', minLength: 1, description: 'Directory of everything that is kept' }),
  WAYMARK_PUBLIC_URL: Type.String({
    default: '',
    pattern: '^$|^https?://[^\\s?#"\\\\]+$',
    description: 'Base URL that clients see, in page and media URLs; empty: where the API listens',
  }),
  WAYMARK_CORS_ORIGINS: Type.String({
    default: '',
    pattern: '^(\\s*https?://[^\\s,/]+\\s*(,|$))*$',
    description: 'Origins whose pages may call the API, separated by commas',
  }),
  WAYMARK_TRUSTED_PROXIES: Type.String({
    default: '',
    description: 'Addresses and subnets, separated by commas, whose X-Forwarded-For is believed',
  }),
  WAYMARK_RATE_LIMITS: Type.Union([Type.Literal('on'), Type.Literal('off')], { default: 'on', description: 'on or off' }),
  WAYMARK_RATE_LIMIT_REQUESTS: Type.Integer({
    default: 5_000,
    minimum: 1,
    maximum: 1_000_000,
    description: 'Requests per second and application, over ten seconds',
  }),
  WAYMARK_READ_WAIT_MS: Type.Integer({
    default: 2_000,
    minimum: 0,
    maximum: 60_000,
    description: 'How long a write waits until every reader sees it, in milliseconds',
  }),
  WAYMARK_LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'silent'].map((level) => Type.Literal(level)),
    { default: 'info', description: 'fatal, error, warn, info, debug (every request) or silent' },
  ),
  WAYMARK_OPS_TOKEN: Type.String({
    default: '',
    pattern: '^$|^[\\w-]{32,}$',
    description: 'Token of the operator API, 32 characters or more; empty: a new one at each start. Secret',
  }),
});
export type Settings = Static<typeof settingsSchema>;

/** Settings that may be given as a file, by the name with `_FILE` behind it. */
export const secretSettings: readonly (keyof Settings)[] = ['WAYMARK_OPS_TOKEN'];

/** The configuration is wrong; the message says everything that is. */
export class WrongSettings extends Error {}

/** @throws WrongSettings */
export const settingsFrom = (environment: NodeJS.ProcessEnv): Settings => {
  const faults: string[] = [];
  const settings: Record<string, unknown> = { ...environment, ...secretsFromFiles(environment, faults) };
  // Texts become numbers, what is missing gets its default. Nothing set counts as not set.
  for (const name of Object.keys(settings)) if (settings[name] === '') delete settings[name];
  const validate = new Ajv({ allErrors: true, coerceTypes: true, useDefaults: true, validateSchema: false }).compile<Settings>(
    settingsSchema,
  );
  if (validate(settings)) faults.push(...proxyFaults(settings));
  else faults.push(...faultsOf(validate.errors ?? []));
  if (faults.length > 0) throw new WrongSettings(`The configuration is wrong:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  return settings as Settings;
};

const secretsFromFiles = (environment: NodeJS.ProcessEnv, faults: string[]): Record<string, string> => {
  const secrets: Record<string, string> = {};
  for (const name of secretSettings) {
    const file = environment[`${name}_FILE`];
    if (file === undefined || file === '') continue;
    if (environment[name]) faults.push(`${name} and ${name}_FILE: only one of them may be set`);
    try {
      secrets[name] = readFileSync(file, 'utf8').trim();
    } catch (error) {
      faults.push(`${name}_FILE: ${(error as Error).message}`);
    }
  }
  return secrets;
};

const proxyFaults = ({ WAYMARK_TRUSTED_PROXIES: proxies }: Settings): readonly string[] => {
  try {
    addressBehind(listed(proxies));
    return [];
  } catch (error) {
    return [`WAYMARK_TRUSTED_PROXIES: ${(error as Error).message}`];
  }
};

const faultsOf = (errors: readonly ErrorObject[]): readonly string[] => {
  const byName = new Map<string, string>();
  for (const { instancePath, keyword, message } of errors) {
    const name = instancePath.slice(1) as keyof Settings;
    const { description } = settingsSchema.properties[name];
    const what = keyword === 'const' || keyword === 'anyOf' ? `must be ${description}` : `${message} (${description})`;
    byName.set(name, `${name}: ${what}`);
  }
  return [...byName.values()];
};

/** Values of a setting that holds several, separated by commas. */
export const listed = (value: string): readonly string[] =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
