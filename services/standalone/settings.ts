import { type Static, Type } from '@sinclair/typebox';
import {
  addressSettings,
  apiSettings,
  processSettings,
  proxyFaultsIn,
  proxySettings,
  recordingSettings,
  refusalsSettings,
  waitSettings,
} from '@waymark/runtime/common-settings.ts';
import { notarySettings, verifierSettings } from '@waymark/runtime/notary-settings.ts';
import { readSettings } from '@waymark/runtime/settings.ts';
import { stopSecondsDefault } from '@waymark/runtime/stop-times.ts';
import { automaticThreadsMax, coresOfOthers } from './threads/limits.ts';

/** All settings. They are environment variables only. The table of docs/configuration.md is generated from this schema. */
export const settingsSchema = Type.Object({
  WAYMARK_HOST: apiSettings.WAYMARK_HOST,
  WAYMARK_PORT: apiSettings.WAYMARK_PORT,
  WAYMARK_OPS_HOST: processSettings.WAYMARK_OPS_HOST,
  WAYMARK_OPS_PORT: processSettings.WAYMARK_OPS_PORT,
  WAYMARK_OPS_NAMES: processSettings.WAYMARK_OPS_NAMES,
  WAYMARK_DATA_DIR: Type.String({ default: 'waymark-data', minLength: 1, description: 'Directory of all stored data' }),
  WAYMARK_PUBLIC_URL: Type.String({
    default: '',
    pattern: `^$|${apiSettings.WAYMARK_PUBLIC_URL.pattern}`,
    description: `${apiSettings.WAYMARK_PUBLIC_URL.description}; empty: the address on which the API listens`,
  }),
  WAYMARK_CORS_ORIGINS: apiSettings.WAYMARK_CORS_ORIGINS,
  ...proxySettings,
  WAYMARK_RATE_LIMITS: apiSettings.WAYMARK_RATE_LIMITS,
  WAYMARK_RATE_LIMIT_REQUESTS: apiSettings.WAYMARK_RATE_LIMIT_REQUESTS,
  ...addressSettings,
  ...waitSettings,
  ...recordingSettings,
  ...refusalsSettings,
  ...notarySettings,
  WAYMARK_NOTARY_PUBLIC_KEY: verifierSettings.WAYMARK_NOTARY_PUBLIC_KEY,
  WAYMARK_NOTARY_DIR: Type.String({
    default: '',
    description: "The notary's own directory, better on another disk than the data; empty: notary in the data directory",
  }),
  WAYMARK_LOG_LEVEL: processSettings.WAYMARK_LOG_LEVEL,
  WAYMARK_MEMORY_MB: processSettings.WAYMARK_MEMORY_MB,
  WAYMARK_HTTP_THREADS: Type.String({
    default: '0',
    pattern: '^(auto|[0-9]|1[0-6])$',
    description: `Threads that answer requests beside the main thread, 0 to 16; auto: the number of cores − ${coresOfOthers}, at most ${automaticThreadsMax}`,
  }),
  WAYMARK_DRAIN_SECONDS: Type.Integer({
    ...processSettings.WAYMARK_DRAIN_SECONDS,
    description: 'Seconds that a stopping server continues to answer, with Connection: close',
  }),
  WAYMARK_STOP_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 90_000,
    default: stopSecondsDefault,
    description: 'Seconds from the end of the drain until a stopping server has finished or is ended; below the 10 s of docker stop',
  }),
  WAYMARK_OPS_TOKEN: Type.String({
    default: '',
    pattern: '^$|^[\\w-]{32,}$',
    description: 'Token of the operator API, 32 characters or more; empty: a new one at each start. Secret',
  }),
});
export type Settings = Static<typeof settingsSchema>;

/** The settings that may also be given as a file, in a variable with the suffix `_FILE`. */
export const secretSettings: readonly (keyof Settings)[] = [
  'WAYMARK_OPS_TOKEN',
  'WAYMARK_EDGE_KEY',
  'WAYMARK_NOTARY_KEY',
  'WAYMARK_CHECKPOINTS_TO',
];

/** Reads the settings from the environment.
 * @throws WrongSettings */
export const settingsFrom = (environment: NodeJS.ProcessEnv): Settings =>
  readSettings({ schema: settingsSchema, secrets: secretSettings, faults: proxyFaultsIn }, environment);
