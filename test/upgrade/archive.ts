import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { ClientCredentials } from '../api/session.ts';
import type { Read } from './reads.ts';

/** Contents of files in base64, by their paths. */
export type Files = Readonly<Record<string, string>>;

/** What a release has stored, and what it answered. */
export type Archive = {
  readonly release: string;
  /** A data directory whose server was stopped. */
  readonly data: Files;
  /** Its export. */
  readonly exported: Files;
  /** Who reads. */
  readonly reader: ClientCredentials;
  readonly reads: readonly Read[];
};

export const archiveBytesMax = 2 * 1024 * 1024;

export const readArchive = (file: string): Archive => JSON.parse(gunzipSync(readFileSync(file)).toString());

/** @throws where it is larger than a repository should hold */
export const writeArchive = (file: string, archive: Archive): void => {
  const bytes = gzipSync(JSON.stringify(archive), { level: 9 });
  if (bytes.length > archiveBytesMax) throw new Error(`${file} would have ${bytes.length} bytes.`);
  writeFileSync(file, bytes);
};

/** Room on the disk that a server keeps for itself; it makes it again. */
const reserve = 'reserve';

/** What a directory holds. */
export const packed = (directory: string): Files => {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name !== reserve,
  );
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return Object.fromEntries(paths.map((path) => [relative(directory, path), readFileSync(path, 'base64')]));
};

/** Files and directories are their owner's alone, as Waymark makes them. */
export const unpack = (files: Files, directory: string): void => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const [path, content] of Object.entries(files)) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, Buffer.from(content, 'base64'), { mode: 0o600 });
  }
};
