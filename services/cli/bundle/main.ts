import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { bundlesFolder, makeCurrent, root } from './bundle.ts';
import { waymarkSources } from './sources.ts';

// Makes a bundle of `waymark`, and prints its folder.
//
//     node services/cli/bundle/main.ts DIGEST-OF-THE-LIBRARIES

/** Older bundles are kept for servers that still run from them. */
const bundlesKept = 5;

/** The files with which the process and its threads begin. Their names differ. */
const entries = ['services/cli/main.ts', ...globSync('{packages,services}/*/{,*/}*-thread.ts', { cwd: root, exclude: ['**/testing/**'] })];
/** The bundle consists of ES modules, but most libraries call `require`. A library that does so has only a default export for `import()`. */
const definesRequire =
  "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);";

const [, , libraries = ''] = process.argv;

const bundle = async (folder: string): Promise<void> => {
  const makers = ['bundle.ts', 'main.ts', 'sources.ts'].map((name) => `services/cli/bundle/${name}`);
  const sources = new Map(makers.map((file) => [file, readFileSync(join(root, file))]));
  await build({
    absWorkingDir: root,
    entryPoints: entries,
    outdir: folder,
    entryNames: '[name]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    banner: { js: definesRequire },
    legalComments: 'none',
    // The texts stay in memory.
    minifyWhitespace: true,
    inject: ['services/cli/bundle/preload/main.ts'],
    sourcemap: 'external',
    sourcesContent: false,
    logLevel: 'error',
    plugins: [waymarkSources(folder, sources)],
  });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  makeCurrent(basename(folder), libraries, sources);
};

const removeOld = (): void => {
  const newestFirst = readdirSync(bundlesFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(bundlesFolder, name))
    .sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  for (const folder of newestFirst.slice(bundlesKept)) rmSync(folder, { recursive: true, force: true });
};

mkdirSync(bundlesFolder, { recursive: true });
const folder = mkdtempSync(join(bundlesFolder, 'bundle-'));
await bundle(folder);
removeOld();
process.stdout.write(folder);
