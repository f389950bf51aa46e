import { createHash, hash } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { isStoredEvent } from '@waymark/domain/recorded-event.ts';
import { fromStoredEvent } from '@waymark/domain/stored-event.ts';
import { isHistory } from '@waymark/domain/streams.ts';
import { openRegular } from '@waymark/files/reading.ts';
import { mediaTypeOf } from '@waymark/media/names.ts';
import { type ExportedFile, ExportRefused, type Manifest, manifestName, mediaFolder, type Part } from './format.ts';
import { damaged, manifestIn } from './manifest.ts';
import { isCount, isDigest } from './manifest-gate.ts';
import { fromStoredFileLine, type StoredFileLine } from './stored-manifest.ts';

/** An export, to be read. Whatever is read of it is held against its checksums: at the end of a part, or of a file. */
export type Exported = {
  readonly manifest: Manifest;
  /** In the order of the log, from an index on, which counts from 0. @throws ExportRefused */
  readonly events: (from?: number) => AsyncIterable<RecordedEvent>;
  /** Every file that an event names, once, from an index on. @throws ExportRefused */
  readonly files: (from?: number) => AsyncIterable<ExportedFile>;
  /** What is in a file; undefined where it was missing already when it was exported. @throws ExportRefused */
  readonly bytesOf: (file: ExportedFile) => Promise<Buffer | undefined>;
};

/** @throws ExportRefused where there is none in the directory, or one of another format */
export const openExport = async (from: string): Promise<Exported> => {
  const directory = resolve(from);
  const manifest = await manifestIn(directory);
  if (manifest === undefined) throw new ExportRefused(`${directory} holds no export: there is no ${manifestName}.`);
  return {
    manifest,
    events: (index = 0) => values(directory, manifest.events.parts, index, asEvent),
    files: (index = 0) => values(directory, manifest.files.parts, index, asFile),
    bytesOf: (file) => bytesOf(directory, file),
  };
};

type Gate<Value> = (value: unknown) => Value | undefined;

const values = async function* <Value>(directory: string, parts: readonly Part[], from: number, gate: Gate<Value>): AsyncIterable<Value> {
  for (const part of parts) {
    if (part.first + part.lines <= from) continue;
    let index = part.first;
    for await (const line of linesOf(directory, part)) {
      const value = gate(fromJson(line));
      if (value === undefined) throw damaged(directory, part);
      if (index >= from) yield value;
      index += 1;
    }
    if (index !== part.first + part.lines) throw damaged(directory, part);
  }
};

const linesOf = async function* (directory: string, part: Part): AsyncIterable<string> {
  const sum = createHash('sha256');
  let begun: Buffer[] = [];
  let bytes = 0;
  for await (const piece of piecesOf(directory, part)) {
    sum.update(piece);
    bytes += piece.length;
    // What is longer than the manifest says is not read to its end, nor kept while it has none.
    if (bytes > part.bytes) throw damaged(directory, part);
    let at = 0;
    for (let end = piece.indexOf(lineEnd); end >= 0; end = piece.indexOf(lineEnd, at)) {
      yield Buffer.concat([...begun, piece.subarray(at, end)]).toString();
      begun = [];
      at = end + 1;
    }
    begun.push(piece.subarray(at));
  }
  if (sum.digest('hex') !== part.sha256) throw damaged(directory, part);
};

/** Nothing else ends a line: texts may hold what other readers take for its end, such as U+2028. */
const lineEnd = 0x0a;

const piecesOf = async function* (directory: string, { path }: Part): AsyncIterable<Buffer> {
  try {
    yield* (await openRegular(directory, path)).createReadStream();
  } catch (error) {
    throw new ExportRefused(`${join(directory, path)} cannot be read: ${(error as Error).message}`, { cause: error });
  }
};

const fromJson = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

const asEvent: Gate<RecordedEvent> = (value) => (isStoredEvent(value) && isHistory(value.stream) ? fromStoredEvent(value) : undefined);

const asFile: Gate<ExportedFile> = (value) => {
  const line = value as Partial<StoredFileLine> | null | undefined;
  if (typeof line?.name !== 'string' || mediaTypeOf(line.name) === undefined) return undefined;
  const { name, bytes, sha256 } = line;
  const isMissing = bytes === null && sha256 === null;
  return isMissing || (isCount(bytes) && isDigest(sha256)) ? fromStoredFileLine({ name, bytes, sha256 }) : undefined;
};

const bytesOf = async (directory: string, file: ExportedFile): Promise<Buffer | undefined> => {
  if (file.sha256 === null) return undefined;
  const path = mediaPath(file.name);
  const bytes = await content(directory, path, file.bytes).catch(() => undefined);
  if (bytes === undefined || hash('sha256', bytes, 'hex') !== file.sha256) throw damaged(directory, { path });
  return bytes;
};

/** Undefined where it is of another length: it is not read then. */
const content = async (directory: string, path: string, bytes: number): Promise<Buffer | undefined> => {
  const handle = await openRegular(directory, path);
  try {
    return (await handle.stat()).size === bytes ? await handle.readFile() : undefined;
  } finally {
    await handle.close();
  }
};

/** Path of a file's bytes within the export. */
export const mediaPath = (name: string): string => `${mediaFolder}/${name.slice(0, 2)}/${name}`;
