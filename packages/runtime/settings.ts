import { readFileSync } from 'node:fs';
import type { Static, TObject } from '@sinclair/typebox';
import { Ajv, type ErrorObject } from 'ajv';

/** The settings of a process: environment variables, and nothing else. */
export type SettingsSpec<Schema extends TObject> = {
  readonly schema: Schema;
  /** Names of the settings that may be given as a file, by the name with the suffix `_FILE`. */
  readonly secrets: readonly (keyof Static<Schema> & string)[];
  /** Returns the errors that a schema cannot express. */
  readonly faults?: (settings: Static<Schema>) => readonly string[];
  /** Returns the settings with values that are made from several of them. */
  readonly complete?: (settings: Static<Schema>) => Static<Schema>;
};

/** The configuration is wrong. The message names every error. */
export class WrongSettings extends Error {}

/** Reads the settings of a process from its environment.
 * @throws WrongSettings */
export const readSettings = <Schema extends TObject>(spec: SettingsSpec<Schema>, environment: NodeJS.ProcessEnv): Static<Schema> => {
  const faults: string[] = [];
  const settings: Record<string, unknown> = { ...environment, ...secretsFromFiles(spec.secrets, environment, faults) };
  // Ajv converts texts to numbers and fills in defaults. An empty text counts as not set.
  for (const name of Object.keys(settings)) if (settings[name] === '') delete settings[name];
  // The code runs once: to optimize it takes longer, a quarter of the time of this function.
  const ajv = new Ajv({
    allErrors: true,
    coerceTypes: true,
    useDefaults: true,
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
  const validate = ajv.compile<Static<Schema>>(spec.schema);
  if (validate(settings)) faults.push(...(spec.faults?.(settings) ?? []));
  else faults.push(...faultsOf(spec.schema, validate.errors ?? []));
  if (faults.length > 0) throw new WrongSettings(`The configuration is wrong:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  return spec.complete?.(settings) ?? settings;
};

const secretsFromFiles = (names: readonly string[], environment: NodeJS.ProcessEnv, faults: string[]): Record<string, string> => {
  const secrets: Record<string, string> = {};
  for (const name of names) {
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

const faultsOf = (schema: TObject, errors: readonly ErrorObject[]): readonly string[] => {
  const byName = new Map<string, string>();
  for (const { instancePath, keyword, message, params } of errors) {
    const name = keyword === 'required' ? (params as { missingProperty: string }).missingProperty : instancePath.slice(1);
    const { description } = schema.properties[name] ?? {};
    const what = keyword === 'const' || keyword === 'anyOf' ? `must be ${description}` : `${messageOf(keyword, message)} (${description})`;
    byName.set(name, `${name}: ${what}`);
  }
  return [...byName.values()];
};

const messageOf = (keyword: string, message: string | undefined): string => (keyword === 'required' ? 'must be set' : (message ?? keyword));

/** Returns the values of a setting that holds several, separated by commas. */
export const splitList = (value: string): readonly string[] =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
