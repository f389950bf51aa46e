import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { engineVariables } from '@waymark/test-engines/test-engines.ts';
import { type Startable, startable } from './images.ts';

/** Returns the engines of `describeOn([…])` in the test files that are to run, whether or not a URL names them. */
const enginesOf = (root: string, willRun: (file: string) => boolean): ReadonlySet<string> => {
  const files = globSync('{packages,services,test}/**/*.test.ts', { cwd: root, exclude: ['**/node_modules'] });
  const texts = files
    .map((file) => join(root, file))
    .filter(willRun)
    .map((file) => readFileSync(file, 'utf8'));
  const named = texts.flatMap((text) => Array.from(text.matchAll(/describeOn\(\s*\[([^\]]*)\]/g), ([, engines]) => engines ?? ''));
  return new Set(named.flatMap((engines) => Array.from(engines.matchAll(/'(\w+)'/g), ([, engine]) => engine ?? '')));
};

/** Returns the engines to start for these tests: engines that the tests name and no variable names. */
export const wanted = (root: string, willRun: (file: string) => boolean): readonly Startable[] => {
  const engines = enginesOf(root, willRun);
  return startable.filter((engine) => engines.has(engine) && !process.env[engineVariables[engine]]);
};
