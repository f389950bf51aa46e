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
import { fromStoredFileLine, type StoredFileLine, type StoredMark } from './stored-manifest.ts';

/** An export that is read. Everything that is read is compared with its checksum, at the end of a part or of a file. */
export type Exported = {
  readonly manifest: Manifest;
  /** Yields the events in the order of the log, starting at an index that counts from 0.
   * @throws ExportRefused */
  readonly events: (from?: number) => AsyncIterable<RecordedEvent>;
  /** Yields every file that an event names, once, starting at an index.
   * @throws ExportRefused */
  readonly files: (from?: number) => AsyncIterable<ExportedFile>;
  /** Yields the name of every erased file, once.
   * @throws ExportRefused */
  readonly marks: () => AsyncIterable<string>;
  /** Returns the content of a file, or undefined if the file was already missing when it was exported.
   * @throws ExportRefused */
  readonly bytesOf: (file: ExportedFile) => Promise<Buffer | undefined>;
};

/** Opens an export.
 * @throws ExportRefused if the directory has none, or one of another format */
export const openExport = async (from: string): Promise<Exported> => {
  const directory = resolve(from);
  const manifest = await manifestIn(directory);
  if (manifest === undefined) throw new ExportRefused(`${directory} holds no export: there is no ${manifestName}.`);
  return {
    manifest,
    events: (index = 0) => values(directory, manifest.events.parts, index, asEvent),
    files: (index = 0) => values(directory, manifest.files.parts, index, asFile),
    marks: () => values(directory, manifest.marks?.parts ?? [], 0, asMark),
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
    // A part that is longer than the manifest states is not read to its end, nor kept in memory while it has no line end.
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

/** The only line end. Texts may contain characters that other readers treat as a line end, such as U+2028. */
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

const asMark: Gate<string> = (value) => {
  const { name } = (value ?? {}) as Partial<StoredMark>;
  return typeof name === 'string' && mediaTypeOf(name) !== undefined ? name : undefined;
};

const bytesOf = async (directory: string, file: ExportedFile): Promise<Buffer | undefined> => {
  if (file.sha256 === null) return undefined;
  const path = mediaPath(file.name);
  const bytes = await content(directory, path, file.bytes).catch(() => undefined);
  if (bytes === undefined || hash('sha256', bytes, 'hex') !== file.sha256) throw damaged(directory, { path });
  return bytes;
};

/** Returns the content of a file, or undefined if its length differs: it is not read then. */
const content = async (directory: string, path: string, bytes: number): Promise<Buffer | undefined> => {
  const handle = await openRegular(directory, path);
  try {
    return (await handle.stat()).size === bytes ? await handle.readFile() : undefined;
  } finally {
    await handle.close();
  }
};

/** Returns the path of a file's bytes within the export. */
export const mediaPath = (name: string): string => `${mediaFolder}/${name.slice(0, 2)}/${name}`;
