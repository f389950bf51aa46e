import { engineVariables } from '@waymark/test-engines/test-engines.ts';

const needed = [
  engineVariables.eventstore,
  engineVariables.kafka,
  engineVariables.mongodb,
  engineVariables.redis,
  engineVariables.media,
] as const;

/** The cluster runs against engines that somebody has started. @throws where it is not said where they are */
export const assertEngines = (): void => {
  const missing = needed.filter((name) => !process.env[name]);
  if (missing.length > 0) throw new Error(`Where the engines are is to be said by the environment: ${missing.join(', ')} not set.`);
};
