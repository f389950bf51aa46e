import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredEvent } from '@waymark/domain/stored-event.ts';
import { makeDirectory, moveDurably } from '@waymark/files/durable.ts';
import { createExclusively } from '@waymark/files/private.ts';
import { type Part, type PartFolder, partPath } from './format.ts';
import type { StoredFileLine, StoredMark } from './stored-manifest.ts';

type Line = StoredEvent | StoredFileLine | StoredMark;

/** Writes the parts of one folder. It blocks, so it belongs in a thread of its own. */
export type PartWriter = {
  readonly add: (line: Line) => void;
  /** Returns the number of lines of the part in progress. */
  readonly lines: () => number;
  readonly characters: () => number;
  /** Completes the part in progress, durably, if it has any lines.
   * @returns all parts so far */
  readonly finish: () => readonly Part[];
};

/** Creates the writer of a folder.
 * @param complete the parts that exist; any other file in the folder is deleted, because an interrupted run has left it */
export const createPartWriter = (directory: string, folder: PartFolder, complete: readonly Part[]): PartWriter => {
  keepOnly(directory, folder, complete);
  const parts = [...complete];
  let open = newPart(directory, folder, parts.at(-1));
  return {
    add: (line) => open.add(line),
    lines: () => open.lines(),
    characters: () => open.characters(),
    finish: () => {
      if (open.lines() > 0) {
        parts.push(open.finish());
        open = newPart(directory, folder, parts.at(-1));
      }
      return [...parts];
    },
  };
};

const keepOnly = (directory: string, folder: PartFolder, parts: readonly Part[]): void => {
  const path = join(directory, folder);
  makeDirectory(path);
  const known = new Set(parts.map((part) => part.path));
  for (const name of readdirSync(path)) if (!known.has(`${folder}/${name}`)) rmSync(join(path, name));
};

/** Number of characters held in memory before they are written. */
const bufferedCharactersMax = 1_000_000;

const newPart = (directory: string, folder: PartFolder, before: Part | undefined) => {
  const first = before === undefined ? 0 : before.first + before.lines;
  const path = partPath(folder, first);
  const file = createAppendedFile(join(directory, path));
  let buffered = '';
  let written = 0;
  let lines = 0;
  const write = (): void => {
    file.write(Buffer.from(buffered));
    written += buffered.length;
    buffered = '';
  };
  return {
    add: (line: Line): void => {
      buffered += `${JSON.stringify(line)}\n`;
      lines += 1;
      if (buffered.length > bufferedCharactersMax) write();
    },
    lines: () => lines,
    characters: () => written + buffered.length,
    finish: (): Part => {
      write();
      return { path, first, lines, ...file.finish() };
    },
  };
};

/** Creates a file that gets its name only when it is complete and on disk. */
const createAppendedFile = (path: string) => {
  const incoming = `${path}.incoming`;
  const sum = createHash('sha256');
  let handle: number | undefined;
  let bytes = 0;
  const opened = (): number => {
    handle ??= createExclusively(incoming);
    return handle;
  };
  return {
    write: (chunk: Buffer): void => {
      for (let at = 0; at < chunk.length; ) at += writeSync(opened(), chunk, at);
      sum.update(chunk);
      bytes += chunk.length;
    },
    finish: () => {
      fsyncSync(opened());
      closeSync(opened());
      moveDurably(incoming, path);
      return { bytes, sha256: sum.digest('hex') };
    },
  };
};
