import { readFileSync } from 'node:fs';
import { allocatorStream, type ResourceKind, resourceKinds } from '@waymark/domain/streams.ts';
import { writePrivate } from '@waymark/files/private.ts';
import { LogUnavailable, type Position } from '../event-log.ts';
import { type HighestIds, highestOf, type LogFacts, noIds } from '../facts/facts.ts';
import { fromStoredLogFacts, toStoredLogFacts } from '../facts/stored-facts.ts';
import { reservedThrough } from '../id-allocator.ts';
import type { PackedAppend } from './messages.ts';

/** Reads the facts in a file. Returns undefined where the file is missing or damaged. */
export const factsIn = (file: string): LogFacts | undefined => {
  try {
    return fromStoredLogFacts(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
};

/** Keeps the file up to date, in the thread that writes the log. */
export type FactsFile = {
  /** Covers the ids that appends reserve, before they are appended. Returns false where the file cannot be written: the ids must then not
   * be used. */
  readonly cover: (appends: readonly PackedAppend[]) => boolean;
  /** Writes the file where the log has changed since. */
  readonly note: () => void;
  /** Writes the file because the log has another incarnation. */
  readonly noteRenewal: () => void;
};

/** How many more ids are covered at once, so that the file is written once for many blocks. */
const idsAhead = 10_000;

export type FactsFileOptions = {
  readonly file: string;
  /** Returns the current facts of the log, without ids.
   * @throws LogUnavailable */
  readonly present: () => Omit<LogFacts, 'ids'>;
  /** Returns the position of the last event. */
  readonly head: () => Position;
  /** The last id that the log has reserved in each sequence. */
  readonly reserved: HighestIds;
  /** Called once for consecutive failures. */
  readonly report: (error: Error) => void;
};

export const createFactsFile = ({ file, present, head, reserved, report }: FactsFileOptions): FactsFile => {
  const before = factsIn(file);
  let ids = highestOf(before?.ids ?? reserved, reserved);
  let written: LogFacts | undefined;
  let failing = false;
  const write = (next: HighestIds): boolean => {
    try {
      const all = { ...present(), ids: next };
      writePrivate(file, JSON.stringify(toStoredLogFacts(all)));
      written = all;
      ids = next;
      failing = false;
      return true;
    } catch (error) {
      if (error instanceof LogUnavailable) return false; // the log reports this error itself
      if (!failing) report(error as Error);
      failing = true;
      return false;
    }
  };
  return {
    cover: (appends) => {
      const wanted = highestOf(ids, highestIn(appends));
      const missing = resourceKinds.filter((one) => wanted[one] > ids[one]);
      if (missing.length === 0 && written !== undefined) return true;
      return write({ ...wanted, ...Object.fromEntries(missing.map((one) => [one, wanted[one] + idsAhead])) });
    },
    note: () => {
      if (written?.head !== head()) write(ids);
    },
    noteRenewal: () => void write(ids),
  };
};

/** Returns whether an append reserves ids. */
export const reservesIds = ([stream]: PackedAppend): boolean => stream.startsWith(allocators);

const allocators = allocatorStream('pinpoint').replace('pinpoint', '');

const highestIn = (appends: readonly PackedAppend[]): HighestIds => {
  let highest = noIds;
  for (const [stream, , events] of appends.filter(reservesIds)) {
    const resource = stream.slice(allocators.length) as ResourceKind;
    for (const [, , content] of events) highest = highestOf(highest, { ...noIds, [resource]: reservedThrough({ content }) });
  }
  return highest;
};
