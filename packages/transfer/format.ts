import type { ResourceKind } from '@waymark/domain/streams.ts';

/** An installation's history and files in a directory, for moving the installation:
 *
 *     export.json               the manifest (StoredManifest): what is not named in it does not belong to the export
 *     events/000000000000.ndjson   one event (StoredEvent) a line, in the order of the log; the name is the index of the first one
 *     files/000000000000.ndjson    one file (StoredFileLine) a line, each name once
 *     media/ab/ab12….png        the files themselves
 *     marks/000000000000.ndjson    the name of one erased file (StoredMark) a line, each name once
 *
 * A part is complete before the manifest names it, and never changes again. */
export const exportFormat = 1;

/** The directory contains no export, or not what was written, or it cannot be written to. */
export class ExportRefused extends Error {}

/** The folders of the parts. */
export type PartFolder = 'events' | 'files' | 'marks';

/** A file of lines. */
export type Part = {
  /** Path within the export. */
  readonly path: string;
  /** Index of its first line among those of all parts, from 0. */
  readonly first: number;
  readonly lines: number;
  readonly bytes: number;
  /** SHA-256 of its bytes, in hex. */
  readonly sha256: string;
};

export type Manifest = {
  readonly format: typeof exportFormat;
  /** The release of Waymark that wrote the export. */
  readonly release: string;
  /** The incarnation of the log that the events come from. */
  readonly incarnation: string;
  /** Time of the last write: ISO 8601, UTC. */
  readonly time: string;
  /** The export contains every event of history up to this position of that log. */
  readonly position: number;
  /** True if that log accepted no more events when this was written. Nothing follows the last event then. */
  readonly final: boolean;
  readonly events: Counted & {
    /** Digest of all events in order; see `createEventDigest`. */
    readonly digest: string;
    /** Number of events whose content was erased. */
    readonly forgotten: number;
    /** Number of streams of each kind (`pinpoint`, `list`, …), including those of deleted objects. */
    readonly streams: Readonly<Record<string, number>>;
  };
  readonly files: Counted & {
    /** Total size of all files. */
    readonly bytes: number;
    /** Number of files that an event names and that were not in the store. */
    readonly missing: number;
  };
  /** The names of erased files, which are never given to other files. Undefined if there are none. */
  readonly marks?: Counted;
  /** The highest id of each sequence that may have been assigned. */
  readonly ids: Readonly<Record<ResourceKind, number>>;
};

/** The content of a manifest without the parts that hold the events and files. */
export type ExportSummary = Omit<Manifest, 'events' | 'files' | 'marks'> & {
  readonly events: Omit<Manifest['events'], 'parts'>;
  readonly files: Omit<Manifest['files'], 'parts'>;
};

export const summaryOf = ({ events, files, marks: _marks, ...manifest }: Manifest): ExportSummary => {
  const { parts: _, ...ofEvents } = events;
  const { parts: __, ...ofFiles } = files;
  return { ...manifest, events: ofEvents, files: ofFiles };
};

type Counted = { readonly count: number; readonly parts: readonly Part[] };

/** A line of `files/`: a file that an event names. Size and digest are null if the file was not in the store. */
export type ExportedFile =
  | { readonly name: string; readonly bytes: number /** SHA-256 of its bytes, in hex. */; readonly sha256: string }
  | { readonly name: string; readonly bytes: null; readonly sha256: null };

export const manifestName = 'export.json';
/** The folder of the files, in the layout of `openDiskMedia`. */
export const mediaFolder = 'media';

/** Returns the path of a part within the export. */
export const partPath = (folder: PartFolder, first: number): string => `${folder}/${String(first).padStart(12, '0')}.ndjson`;

/** Returns the kind that a stream is counted under: its name up to the first hyphen. */
export const kindOf = (stream: string): string => stream.slice(0, stream.indexOf('-'));
