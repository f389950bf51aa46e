import type { ResourceKind } from '@waymark/domain/streams.ts';

/** An installation's history and files in a directory, to move house with:
 *
 *     export.json               the manifest (StoredManifest): what is not named in it does not belong to the export
 *     events/000000000000.ndjson   one event (StoredEvent) a line, in the order of the log; the name is the index of the first one
 *     files/000000000000.ndjson    one file (StoredFileLine) a line, each name once
 *     media/ab/ab12….png        the files themselves
 *
 * A part is complete before the manifest names it, and never changes again. */
export const exportFormat = 1;

/** The directory holds no export, or not what was written; or it cannot be written to. */
export class ExportRefused extends Error {}

/** One file of lines. */
export type Part = {
  /** Path within the export. */
  readonly path: string;
  /** Index of its first line among those of all parts, from 0. */
  readonly first: number;
  readonly lines: number;
  readonly bytes: number;
  /** Of its bytes, hex. */
  readonly sha256: string;
};

export type Manifest = {
  readonly format: typeof exportFormat;
  /** Of Waymark, which wrote it. */
  readonly release: string;
  /** Of the log that the events come from. */
  readonly incarnation: string;
  /** When it was last written: ISO 8601, UTC. */
  readonly time: string;
  /** Every event of history up to this position of that log is here. */
  readonly position: number;
  /** That log took no more when this was written: there is nothing after it. */
  readonly final: boolean;
  readonly events: Counted & {
    /** Of all events in order, see `createEventDigest`. */
    readonly digest: string;
    /** Events whose content was erased. */
    readonly forgotten: number;
    /** Streams of each kind (`pinpoint`, `list`, …), those of deleted objects included. */
    readonly streams: Readonly<Record<string, number>>;
  };
  readonly files: Counted & {
    /** Of all files together. */
    readonly bytes: number;
    /** Files that an event names and that were not in the store. */
    readonly missing: number;
  };
  /** The highest id of each sequence that may have been given out. */
  readonly ids: Readonly<Record<ResourceKind, number>>;
};

/** What a manifest says, without the files that it is in. */
export type ExportSummary = Omit<Manifest, 'events' | 'files'> & {
  readonly events: Omit<Manifest['events'], 'parts'>;
  readonly files: Omit<Manifest['files'], 'parts'>;
};

export const summaryOf = ({ events, files, ...manifest }: Manifest): ExportSummary => {
  const { parts: _, ...ofEvents } = events;
  const { parts: __, ...ofFiles } = files;
  return { ...manifest, events: ofEvents, files: ofFiles };
};

type Counted = { readonly count: number; readonly parts: readonly Part[] };

/** A line of `files/`: a file that an event names. Without size and digest where it was not in the store. */
export type ExportedFile =
  | { readonly name: string; readonly bytes: number /** Of its bytes, hex. */; readonly sha256: string }
  | { readonly name: string; readonly bytes: null; readonly sha256: null };

export const manifestName = 'export.json';
/** The store of the files, as `openDiskMedia` keeps it. */
export const mediaFolder = 'media';

/** Path of a part within the export. */
export const partPath = (folder: 'events' | 'files', first: number): string => `${folder}/${String(first).padStart(12, '0')}.ndjson`;

/** The kind that counts a stream: what stands before its first hyphen. */
export const kindOf = (stream: string): string => stream.slice(0, stream.indexOf('-'));
