import type { ExportedFile, ExportSummary, exportFormat, Manifest, Part } from './format.ts';

/** A `Part` in the manifest. Stored: never rename. */
export type StoredPart = {
  readonly path: string;
  readonly first: number;
  readonly lines: number;
  readonly bytes: number;
  readonly sha256: string;
};

type StoredHead = {
  readonly format: typeof exportFormat;
  readonly release: string;
  readonly incarnation: string;
  readonly time: string;
  readonly position: number;
  readonly final: boolean;
};
type StoredEvents = {
  readonly count: number;
  readonly digest: string;
  readonly forgotten: number;
  readonly streams: Readonly<Record<string, number>>;
};
type StoredFiles = { readonly count: number; readonly bytes: number; readonly missing: number };
type StoredIds = { readonly pinpoint: number; readonly list: number; readonly category: number; readonly happening: number };

/** A `Manifest` in the file `export.json`. Stored: never rename. */
export type StoredManifest = StoredHead & {
  readonly files: StoredFiles & { readonly parts: readonly StoredPart[] };
  readonly events: StoredEvents & { readonly parts: readonly StoredPart[] };
  readonly marks?: StoredMarks;
  readonly ids: StoredIds;
};

type StoredMarks = { readonly count: number; readonly parts: readonly StoredPart[] };

/** An `ExportSummary` in the requests of an import. Sent: never rename. */
export type SummaryMessage = StoredHead & { readonly ids: StoredIds; readonly events: StoredEvents; readonly files: StoredFiles };

/** An `ExportedFile` as a line of `files/`. Stored: never rename. */
export type StoredFileLine = { readonly name: string; readonly bytes: number | null; readonly sha256: string | null };

/** The name of an erased file as a line of `marks/`. Stored: never rename. */
export type StoredMark = { readonly name: string };

export const toStoredManifest = (manifest: Manifest): StoredManifest => ({
  ...toStoredHead(manifest),
  files: { ...toStoredFiles(manifest.files), parts: manifest.files.parts.map(toStoredPart) },
  events: { ...toStoredEvents(manifest.events), parts: manifest.events.parts.map(toStoredPart) },
  ...(manifest.marks && { marks: { count: manifest.marks.count, parts: manifest.marks.parts.map(toStoredPart) } }),
  ids: toStoredIds(manifest.ids),
});

export const fromStoredManifest = (stored: StoredManifest): Manifest => ({
  ...fromStoredHead(stored),
  files: { ...fromStoredFiles(stored.files), parts: stored.files.parts.map(fromStoredPart) },
  events: { ...fromStoredEvents(stored.events), parts: stored.events.parts.map(fromStoredPart) },
  ...(stored.marks && { marks: { count: stored.marks.count, parts: stored.marks.parts.map(fromStoredPart) } }),
  ids: fromStoredIds(stored.ids),
});

export const toSummaryMessage = (summary: ExportSummary): SummaryMessage => ({
  ...toStoredHead(summary),
  ids: toStoredIds(summary.ids),
  events: toStoredEvents(summary.events),
  files: toStoredFiles(summary.files),
});

export const fromSummaryMessage = (message: SummaryMessage): ExportSummary => ({
  ...fromStoredHead(message),
  ids: fromStoredIds(message.ids),
  events: fromStoredEvents(message.events),
  files: fromStoredFiles(message.files),
});

export const toStoredFileLine = (file: ExportedFile): StoredFileLine => ({ name: file.name, bytes: file.bytes, sha256: file.sha256 });

/** Returns the file of a line, or undefined if only one of size and digest is present. */
export const fromStoredFileLine = (line: StoredFileLine): ExportedFile | undefined => {
  if (line.bytes === null && line.sha256 === null) return { name: line.name, bytes: null, sha256: null };
  return line.bytes === null || line.sha256 === null ? undefined : { name: line.name, bytes: line.bytes, sha256: line.sha256 };
};

type Head = Pick<Manifest, 'format' | 'release' | 'incarnation' | 'time' | 'position' | 'final'>;

const toStoredHead = (head: Head): StoredHead => ({
  format: head.format,
  release: head.release,
  incarnation: head.incarnation,
  time: head.time,
  position: head.position,
  final: head.final,
});

const fromStoredHead = (stored: StoredHead): Head => ({
  format: stored.format,
  release: stored.release,
  incarnation: stored.incarnation,
  time: stored.time,
  position: stored.position,
  final: stored.final,
});

const toStoredEvents = (events: ExportSummary['events']): StoredEvents => ({
  count: events.count,
  digest: events.digest,
  forgotten: events.forgotten,
  streams: events.streams,
});

const fromStoredEvents = (stored: StoredEvents): ExportSummary['events'] => ({
  count: stored.count,
  digest: stored.digest,
  forgotten: stored.forgotten,
  streams: stored.streams,
});

const toStoredFiles = (files: ExportSummary['files']): StoredFiles => ({ count: files.count, bytes: files.bytes, missing: files.missing });
const fromStoredFiles = (stored: StoredFiles): ExportSummary['files'] => ({
  count: stored.count,
  bytes: stored.bytes,
  missing: stored.missing,
});

const toStoredIds = (ids: Manifest['ids']): StoredIds => ({
  pinpoint: ids.pinpoint,
  list: ids.list,
  category: ids.category,
  happening: ids.happening,
});

const fromStoredIds = (stored: StoredIds): Manifest['ids'] => ({
  pinpoint: stored.pinpoint,
  list: stored.list,
  category: stored.category,
  happening: stored.happening,
});

const toStoredPart = (part: Part): StoredPart => ({
  path: part.path,
  first: part.first,
  lines: part.lines,
  bytes: part.bytes,
  sha256: part.sha256,
});

const fromStoredPart = (stored: StoredPart): Part => ({
  path: stored.path,
  first: stored.first,
  lines: stored.lines,
  bytes: stored.bytes,
  sha256: stored.sha256,
});
