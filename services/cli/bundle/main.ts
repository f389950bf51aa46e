import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { bundlesFolder, makeCurrent, root } from './bundle.ts';
import { waymarkSources } from './sources.ts';

// Makes a bundle of `waymark`, and prints its folder.
//
//     node services/cli/bundle/main.ts DIGEST-OF-THE-LIBRARIES

/** Older bundles are kept for servers that still run from them. */
const bundlesKept = 5;

/** The files with which the command line and the threads of its server begin. */
const ofCommandLine = [
  'services/cli/main.ts',
  ...globSync('{packages,services}/*/{,*/}*-thread.ts', { cwd: root, exclude: ['**/testing/**'] }),
];
/** The files with which the services of a cluster begin. */
const ofServices = globSync('services/*/main.ts', { cwd: root, exclude: ['services/{cli,cluster,standalone}/**'] });

/** The bundle consists of ES modules, but most libraries call `require`. A library that does so has only a default export for `import()`. */
const definesRequire =
  "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);";

const [, , libraries = ''] = process.argv;

const bundle = async (folder: string): Promise<void> => {
  const makers = ['bundle.ts', 'main.ts', 'sources.ts'].map((name) => `services/cli/bundle/${name}`);
  const sources = new Map(makers.map((file) => [file, readFileSync(join(root, file))]));
  // The services share no files with the command line. If they did, there would be more and smaller files, and a server would take more memory.
  for (const entries of [ofCommandLine, ofServices]) await build(optionsOf(entries, folder, sources));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  makeCurrent(basename(folder), libraries, sources);
};

const optionsOf = (entries: readonly string[], folder: string, sources: Map<string, Buffer>): BuildOptions => ({
  absWorkingDir: root,
  entryPoints: entries.map((file) => ({ in: file, out: nameOf(file) })),
  outdir: folder,
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

/** Returns the name of a file in the bundle: of one with which a process begins, the name of its folder. */
const nameOf = (file: string): string => (basename(file) === 'main.ts' ? basename(dirname(file)) : basename(file, '.ts'));

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
