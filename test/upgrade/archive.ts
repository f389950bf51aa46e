import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { ClientCredentials } from '../api/session.ts';
import type { Read } from './reads.ts';

/** The content of files in base64, by path. */
export type Files = Readonly<Record<string, string>>;

/** What a release answered, and to which application. */
export type Answered = {
  readonly release: string;
  readonly reader: ClientCredentials;
  readonly reads: readonly Read[];
};

/** What a release stored in the standalone form. */
export type Archive = Answered & {
  /** A data directory, after its server was stopped. */
  readonly data: Files;
  /** The export of that data directory. */
  readonly exported: Files;
};

/** What a release stored as a cluster: the two engines that are the truth, and the keys. */
export type ClusterArchive = Answered & {
  /** The directory of the event store after it was stopped. */
  readonly eventStore: Files;
  /** The documents of each GridFS collection, as extended JSON. */
  readonly media: Readonly<Record<string, readonly string[]>>;
  /** The directory of `npm run cluster`. */
  readonly directory: Files;
};

export const archiveBytesMax = 2 * 1024 * 1024;

const folder = join(import.meta.dirname, 'archives');

/** The releases that have an archive of a form, in order. */
export const archivedReleases = (form: 'standalone' | 'cluster'): readonly string[] =>
  readdirSync(join(folder, form))
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .sort();

const ending = '.json.gz';
const fileOf = (form: 'standalone' | 'cluster', release: string): string => join(folder, form, `${release}${ending}`);

export const readArchive = (release: string): Archive => read(fileOf('standalone', release));
export const readClusterArchive = (release: string): ClusterArchive => read(fileOf('cluster', release));

const read = <Content>(file: string): Content => JSON.parse(gunzipSync(readFileSync(file)).toString());

/** Writes the archive of a release.
 * @returns the archive's path
 * @throws where the archive is larger than `archiveBytesMax` */
export const writeArchive = (form: 'standalone' | 'cluster', archive: Archive | ClusterArchive): string => {
  const file = fileOf(form, `v${archive.release}`);
  const bytes = gzipSync(JSON.stringify(archive), { level: 9 });
  if (bytes.length > archiveBytesMax) throw new Error(`${file} would have ${bytes.length} bytes.`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  return file;
};

/** Space on the disk that a server reserves; the next start reserves it again. */
const reserve = 'reserve';

/** The files of a directory. */
export const packed = (directory: string): Files => {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name !== reserve,
  );
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return Object.fromEntries(paths.map((path) => [relative(directory, path), readFileSync(path, 'base64')]));
};

/** Writes files and directories with the modes that Waymark gives them: only the owner may read them. */
export const unpack = (files: Files, directory: string): void => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const [path, content] of Object.entries(files)) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, Buffer.from(content, 'base64'), { mode: 0o600 });
  }
};
