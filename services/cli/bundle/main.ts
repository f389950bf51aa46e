import { chmodSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { bundlesFolder, makeCurrent, oldBundles, root } from './bundle.ts';
import { waymarkSources } from './sources.ts';

// Makes a bundle of `waymark`, and prints its folder.
//
//     node services/cli/bundle/main.ts DIGEST-OF-THE-LIBRARIES

const threads = globSync('{packages,services}/*/{,*/}*-thread.ts', { cwd: root, exclude: ['**/testing/**'] });
/** The thread of the log's writer loads the projector. */
const ofWriter = /(writer|projector)-thread\.ts$/;
const ofServices = globSync('services/*/main.ts', { cwd: root, exclude: ['services/{cli,cluster,standalone}/**'] });

/** The files with which processes and threads begin, in groups that share code. Threads share no code in memory, so a file that several of them
 * load saves nothing, and each file takes time at a start: the more there is to share, the more and smaller the files are. */
const entries = [
  ['services/cli/main.ts'],
  ['services/standalone/main.ts'],
  threads.filter((file) => ofWriter.test(file)),
  ...threads.filter((file) => !ofWriter.test(file)).map((file) => [file]),
  ofServices,
];

/** The bundle consists of ES modules, but most libraries call `require`. A library that does so has only a default export for `import()`. */
const definesRequire =
  "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);";
/** The place of the bundle, for a library that looks for files from its own place. */
const definesFolder = 'const bundleFolder = import.meta.dirname;';

const [, , libraries = ''] = process.argv;

const bundle = async (folder: string): Promise<void> => {
  const makers = ['bundle.ts', 'main.ts', 'sources.ts'].map((name) => `services/cli/bundle/${name}`);
  const sources = new Map(makers.map((file) => [file, readFileSync(join(root, file))]));
  for (const group of entries) await build(optionsOf(group, folder, sources));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  makeCurrent(basename(folder), libraries, sources);
};

const optionsOf = (group: readonly string[], folder: string, sources: Map<string, Buffer>): BuildOptions => ({
  absWorkingDir: root,
  entryPoints: group.map((file) => ({ in: file, out: nameOf(file) })),
  outdir: folder,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  banner: { js: definesRequire + definesFolder },
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
  const folders = readdirSync(bundlesFolder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const made = folders.flatMap(({ name }) => {
    // Another process may have removed it.
    const found = statSync(join(bundlesFolder, name), { throwIfNoEntry: false });
    return found === undefined ? [] : [{ name, changedMs: found.mtimeMs }];
  });
  for (const name of oldBundles(made)) rmSync(join(bundlesFolder, name), { recursive: true, force: true });
};

mkdirSync(bundlesFolder, { recursive: true });
const folder = mkdtempSync(join(bundlesFolder, 'bundle-'));
// Other users may run `waymark` as well: a temporary folder is its owner's alone.
chmodSync(folder, 0o777 & ~process.umask());
await bundle(folder);
removeOld();
process.stdout.write(folder);
