import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { writePrivate } from '@waymark/files/private.ts';
import { ExportRefused, exportFormat, type Manifest, manifestName, type Part } from './format.ts';

/** Undefined where the directory has none. @throws ExportRefused */
export const manifestIn = async (directory: string): Promise<Manifest | undefined> => {
  const path = join(directory, manifestName);
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw new ExportRefused(`${path} cannot be read: ${error.message}`, { cause: error });
  });
  return text === undefined ? undefined : parsed(text, path);
};

const parsed = (text: string, path: string): Manifest => {
  let manifest: Partial<Manifest>;
  try {
    manifest = JSON.parse(text) ?? {};
  } catch {
    throw new ExportRefused(`${path} is damaged.`);
  }
  if (manifest.format !== exportFormat) {
    throw new ExportRefused(`${path} is of format ${manifest.format}; this release knows format ${exportFormat}.`);
  }
  return manifest as Manifest;
};

/** From then on the export is what the manifest says: whole and durable, or as before. */
export const writeManifest = (directory: string, manifest: Manifest): void => {
  writePrivate(join(directory, manifestName), JSON.stringify(manifest, null, 2));
};

/** Every part is what was written. @throws ExportRefused */
export const checkParts = async (directory: string, { events, files }: Manifest): Promise<void> => {
  for (const part of [...events.parts, ...files.parts]) {
    if ((await checksum(join(directory, part.path))) !== part.sha256) throw damaged(directory, part);
  }
};

export const damaged = (directory: string, { path }: Pick<Part, 'path'>): ExportRefused =>
  new ExportRefused(`${join(directory, path)} is not what was exported.`);

/** Undefined where it cannot be read. */
const checksum = async (path: string): Promise<string | undefined> => {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
    return hash.digest('hex');
  } catch {
    return undefined;
  }
};
