import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The checkout. */
export const root = join(import.meta.dirname, '../../..');

/** Our files in a bundle: path in the checkout, and content. */
export type Sources = ReadonlyMap<string, Buffer>;

/** A bundle: the digests of the libraries, and of them with our files that it was made from; the paths of these files; its folder in
 * `bundlesFolder`. `stamps`: those of the files when their content was last compared, if they have been unchanged for a while. */
type Bundle = {
  readonly libraries: string;
  readonly digest: string;
  readonly files: readonly string[];
  readonly folder: string;
  readonly stamps?: readonly string[];
};

/** A file that has been unchanged for this time has another stamp after its next change: the clock of file systems is coarse. */
const settledAfterMs = 2_000;

export const bundlesFolder = join(root, '.toolchain/bundles');
const currentFile = join(bundlesFolder, 'current.json');

/** Returns the folder of the bundle of `waymark`: the command line, the server and its threads in a few files. A start from them reads a few
 * dozen files, not a thousand. If a file of ours or a library has changed since a bundle was made, makes another one.
 * @param libraries a digest of the libraries */
export const bundleOf = (libraries: string): string => {
  const current = currentBundle();
  if (current?.libraries === libraries) {
    // The stamps are read before the contents: a file that changes in between has another stamp at the next start.
    const stamps = stampsOf(current.files);
    if (stamps !== undefined && stamps.join() === current.stamps?.join()) return join(bundlesFolder, current.folder);
    if (current.digest === digestOf(libraries, current.files)) {
      if (stamps !== undefined) keepStamps({ ...current, stamps });
      return join(bundlesFolder, current.folder);
    }
  }
  // In a separate process, so that this one does not keep the memory of the bundler.
  return execFileSync(process.execPath, [join(import.meta.dirname, 'main.ts'), libraries], { encoding: 'utf8' });
};

/** Returns what changes when the content of a file does; undefined if a file does not exist or has changed a moment ago. */
export const stampsOf = (files: readonly string[], folder = root): readonly string[] | undefined => {
  const settledMs = Date.now() - settledAfterMs;
  const stamps: string[] = [];
  for (const file of files) {
    const stat = statSync(join(folder, file), { bigint: true, throwIfNoEntry: false });
    if (stat === undefined || Number(stat.ctimeMs) > settledMs) return undefined;
    stamps.push(`${stat.ino} ${stat.size} ${stat.ctimeNs}`);
  }
  return stamps;
};

const keepStamps = (bundle: Bundle): void => {
  try {
    writeCurrent(bundle);
  } catch {
    // The folder is read-only: each start compares the contents.
  }
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

/** Older bundles are kept for servers that still run from them. */
const bundlesKept = 5;
/** How long a bundle may take to be made and loaded. */
const bundleInUseMs = 10 * 60_000;

/** Returns the names of the bundles that may be removed. Several starts at once after a change each make one. */
export const oldBundles = (made: readonly { readonly name: string; readonly changedMs: number }[], nowMs = Date.now()): readonly string[] =>
  made
    .toSorted((one, other) => other.changedMs - one.changedMs)
    .slice(bundlesKept)
    .filter(({ changedMs }) => changedMs < nowMs - bundleInUseMs)
    .map(({ name }) => name);

/** Makes a complete folder the current bundle. */
export const makeCurrent = (folder: string, libraries: string, sources: Sources): void =>
  writeCurrent({ libraries, digest: digest(libraries, sources), files: [...sources.keys()], folder });

const writeCurrent = (bundle: Bundle): void => {
  const written = join(bundlesFolder, bundle.folder, `bundle-${process.pid}.json`);
  writeFileSync(written, JSON.stringify(bundle));
  renameSync(written, currentFile);
};
