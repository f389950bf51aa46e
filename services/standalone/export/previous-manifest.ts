import { readdirSync } from 'node:fs';
import { release } from '@waymark/domain/release.ts';
import { byResourceKind } from '@waymark/domain/streams.ts';
import { removeIncoming } from '@waymark/files/private.ts';
import { createEventDigest } from '@waymark/transfer/digest.ts';
import { ExportRefused, exportFormat, type Manifest } from '@waymark/transfer/format.ts';
import { checkFolders, checkParts, manifestIn, writeManifest } from '@waymark/transfer/manifest.ts';

/** Returns the manifest of an earlier run, after checking its parts; starts an export in an empty directory.
 * @throws ExportRefused if the directory holds other files, or the export of another log */
export const previousManifest = async (directory: string, incarnation: string): Promise<Manifest> => {
  checkFolders(directory);
  const manifest = await manifestIn(directory);
  if (manifest === undefined) return startExport(directory, incarnation);
  if (manifest.incarnation !== incarnation) throw new ExportRefused(`${directory} holds the export of another log.`);
  await checkParts(directory, manifest);
  removeIncoming(directory);
  return manifest;
};

const begunManifest = /^export\.json(\.[0-9a-f]{16})?\.incoming$/;

/** Writes the manifest first: a run that is interrupted then leaves a directory that is recognised as its own. */
const startExport = (directory: string, incarnation: string): Manifest => {
  const otherFiles = readdirSync(directory).filter((name) => !begunManifest.test(name));
  if (otherFiles.length > 0) throw new ExportRefused(`${directory} is not empty, and holds no export.`);
  const manifest: Manifest = {
    format: exportFormat,
    release,
    incarnation,
    time: new Date().toISOString(),
    position: 0,
    final: false,
    events: { count: 0, digest: createEventDigest().value(), forgotten: 0, streams: {}, parts: [] },
    files: { count: 0, bytes: 0, missing: 0, parts: [] },
    ids: byResourceKind(() => 0),
  };
  writeManifest(directory, manifest);
  return manifest;
};
