import { openDiskMedia } from '@waymark/media/disk/media.ts';
import type { Manifest } from '@waymark/transfer/format.ts';
import { openExport } from '@waymark/transfer/reader.ts';
import { createPartWriter } from '@waymark/transfer/writer.ts';
import type { FileExporter } from './files.ts';

/** Lines after which a part is complete. */
const partMarksMax = 100_000;

/** Adds the names of all erased files to an export, each once. A file that the export has is left out: it was erased after it was exported.
 * @param media directory of the installation's media store
 * @throws ExportRefused if the marks of an earlier run are damaged */
export const exportMarks = async (directory: string, media: string, { has }: Pick<FileExporter, 'has'>): Promise<Manifest['marks']> => {
  const { manifest, marks } = await openExport(directory);
  const known = new Set<string>();
  for await (const name of marks()) known.add(name);
  const parts = createPartWriter(directory, 'marks', manifest.marks?.parts ?? []);
  for await (const { name, erased } of openDiskMedia({ directory: media }).list()) {
    if (!erased || known.has(name) || has(name)) continue;
    known.add(name);
    parts.add({ name });
    if (parts.lines() === partMarksMax) parts.finish();
  }
  return known.size === 0 ? undefined : { count: known.size, parts: parts.finish() };
};
