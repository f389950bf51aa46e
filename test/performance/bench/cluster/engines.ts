import { engineVariables } from '@waymark/test-engines/test-engines.ts';

const needed = [
  engineVariables.eventstore,
  engineVariables.kafka,
  engineVariables.mongodb,
  engineVariables.redis,
  engineVariables.media,
] as const;

/** Checks that the environment names the engines for the cluster. The engines must already run.
 * @throws if a variable is not set */
export const assertEngines = (): void => {
  const missing = needed.filter((name) => !process.env[name]);
  if (missing.length > 0) throw new Error(`The environment must name the engines: ${missing.join(', ')} not set.`);
};
