import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The checkout. */
export const root = join(import.meta.dirname, '../../..');

/** Our files in a bundle: path in the checkout, and content. */
export type Sources = ReadonlyMap<string, Buffer>;

/** A bundle: the digest of the libraries and of our files that it was made from, the paths of these files, and its folder in `bundlesFolder`. */
type Bundle = { readonly digest: string; readonly files: readonly string[]; readonly folder: string };

export const bundlesFolder = join(root, '.toolchain/bundles');
const currentFile = join(bundlesFolder, 'current.json');

/** Returns the folder of the bundle of `waymark`: the command line, the server and its threads in a few files. A start from them reads a few
 * dozen files, not a thousand. If a file of ours or a library has changed since a bundle was made, makes another one.
 * @param libraries a digest of the libraries */
export const bundleOf = (libraries: string): string => {
  const current = currentBundle();
  if (current && current.digest === digestOf(libraries, current.files)) return join(bundlesFolder, current.folder);
  // In a separate process, so that this one does not keep the memory of the bundler.
  return execFileSync(process.execPath, [join(import.meta.dirname, 'main.ts'), libraries], { encoding: 'utf8' });
};

/** Returns the digest of libraries and files; undefined if a file does not exist. */
export const digestOf = (libraries: string, files: readonly string[], folder = root): string | undefined => {
  try {
    return digest(libraries, new Map(files.map((file) => [file, readFileSync(join(folder, file))])));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

const digest = (libraries: string, sources: Sources): string => {
  const hash = createHash('sha256').update(libraries);
  for (const [file, content] of sources) hash.update(`\0${file}\0`).update(content);
  return hash.digest('hex');
};

const currentBundle = (): Bundle | undefined => {
  try {
    return JSON.parse(readFileSync(currentFile, 'utf8'));
  } catch {
    return undefined;
  }
};

/** Makes a complete folder the current bundle. */
export const makeCurrent = (folder: string, libraries: string, sources: Sources): void => {
  const bundle: Bundle = { digest: digest(libraries, sources), files: [...sources.keys()], folder };
  const written = join(bundlesFolder, folder, 'bundle.json');
  writeFileSync(written, JSON.stringify(bundle));
  renameSync(written, currentFile);
};
