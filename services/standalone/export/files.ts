import { hash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { storedFileOf } from '@waymark/domain/stored-files.ts';
import { bytesOf, storedFile } from '@waymark/media/content.ts';
import { openDiskMedia } from '@waymark/media/disk/media.ts';
import { type ExportedFile, type Manifest, mediaFolder } from '@waymark/transfer/format.ts';
import { damaged } from '@waymark/transfer/manifest.ts';
import { mediaPath, openExport } from '@waymark/transfer/reader.ts';
import { toStoredFileLine } from '@waymark/transfer/stored-manifest.ts';
import { createPartWriter } from '@waymark/transfer/writer.ts';

/** Exports the files that events name, each once. */
export type FileExporter = {
  readonly take: (event: RecordedEvent) => Promise<void>;
  /** Files exported since the last `finish`. */
  readonly taken: () => number;
  /** Returns whether the export has the bytes of a file. */
  readonly has: (name: string) => boolean;
  readonly finish: () => Manifest['files'];
};

/** Creates the exporter of files.
 * @param media directory of the installation's media store
 * @throws ExportRefused if an exported file is missing */
export const createFileExporter = async (directory: string, media: string): Promise<FileExporter> => {
  const from = openDiskMedia({ directory: media });
  const to = openDiskMedia({ directory: join(directory, mediaFolder) });
  const { manifest, files } = await openExport(directory);
  /** The names of all exported files, and whether the export has their bytes. */
  const known = new Map<string, boolean>();
  for await (const file of files()) {
    await checkPresence(directory, file);
    known.set(file.name, file.bytes !== null);
  }
  const parts = createPartWriter(directory, 'files', manifest.files.parts);
  let { bytes, missing } = manifest.files;

  const copied = async (name: string): Promise<ExportedFile> => {
    const found = await storedFile(from, name);
    if (found === undefined) return { name, bytes: null, sha256: null };
    const bytes = await bytesOf(found);
    await to.put(name, bytes);
    return { name, bytes: bytes.length, sha256: hash('sha256', bytes, 'hex') };
  };
  return {
    take: async (event) => {
      const name = storedFileOf(event)?.name;
      if (name === undefined || known.has(name)) return;
      const file = await copied(name);
      known.set(name, file.bytes !== null);
      parts.add(toStoredFileLine(file));
      bytes += file.bytes ?? 0;
      missing += file.bytes === null ? 1 : 0;
    },
    taken: parts.lines,
    has: (name) => known.get(name) === true,
    finish: () => ({ count: known.size, bytes, missing, parts: parts.finish() }),
  };
};

const checkPresence = async (directory: string, { name, bytes }: ExportedFile): Promise<void> => {
  if (bytes === null) return;
  const found = await lstat(join(directory, mediaPath(name))).catch(() => undefined);
  if (!found?.isFile() || found.size !== bytes) throw damaged(directory, { path: mediaPath(name) });
};
