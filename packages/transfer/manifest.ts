import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { writePrivate } from '@waymark/files/private.ts';
import { checkFolder, openRegular } from '@waymark/files/reading.ts';
import { ExportRefused, exportFormat, type Manifest, manifestName, mediaFolder, type Part } from './format.ts';
import { isManifest } from './manifest-gate.ts';
import { fromStoredManifest, type StoredManifest, toStoredManifest } from './stored-manifest.ts';

/** Room for ten thousand parts, and as many again. */
const manifestBytesMax = 64 * 1024 * 1024;

/** Returns the manifest of a directory, or undefined if it has none.
 * @throws ExportRefused */
export const manifestIn = async (directory: string): Promise<Manifest | undefined> => {
  const path = join(directory, manifestName);
  const text = await read(directory).catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw new ExportRefused(`${path} cannot be read: ${error.message}`, { cause: error });
  });
  return text === undefined ? undefined : parsed(text, path);
};

const read = async (directory: string): Promise<string> => {
  const handle = await openRegular(directory, manifestName);
  try {
    if ((await handle.stat()).size > manifestBytesMax) throw new Error('It is too large.');
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
};

const parsed = (text: string, path: string): Manifest => {
  const manifest = fromJson(text);
  if (isManifest(manifest)) return fromStoredManifest(manifest);
  const format = (manifest as Partial<StoredManifest> | null | undefined)?.format;
  if (format === undefined || format === exportFormat) throw new ExportRefused(`${path} is damaged.`);
  throw new ExportRefused(`${path} is of format ${format}; this release knows format ${exportFormat}.`);
};

const fromJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Writes the manifest. From then on, the export is what the manifest says: either complete and durable, or as before. */
export const writeManifest = (directory: string, manifest: Manifest): void => {
  writePrivate(join(directory, manifestName), JSON.stringify(toStoredManifest(manifest), null, 2));
};

/** Checks that every directory of an export is a directory and not a link, so that nothing is written or removed elsewhere.
 * @throws ExportRefused */
export const checkFolders = (directory: string): void => {
  const media = join(directory, mediaFolder);
  try {
    for (const folder of ['events', 'files', 'marks', mediaFolder]) checkFolder(join(directory, folder));
    for (const name of existsSync(media) ? readdirSync(media) : []) checkFolder(join(media, name));
  } catch (error) {
    throw new ExportRefused((error as Error).message, { cause: error });
  }
};

/** Checks that every part is what was written.
 * @throws ExportRefused */
export const checkParts = async (directory: string, { events, files, marks }: Manifest): Promise<void> => {
  for (const part of [...events.parts, ...files.parts, ...(marks?.parts ?? [])]) {
    if ((await checksum(directory, part.path)) !== part.sha256) throw damaged(directory, part);
  }
};

export const damaged = (directory: string, { path }: Pick<Part, 'path'>): ExportRefused =>
  new ExportRefused(`${join(directory, path)} is not what was exported.`);

/** Returns the checksum of a file, or undefined if it cannot be read. */
const checksum = async (directory: string, path: string): Promise<string | undefined> => {
  const hash = createHash('sha256');
  try {
    await pipeline((await openRegular(directory, path)).createReadStream(), hash);
    return hash.digest('hex');
  } catch {
    return undefined;
  }
};
