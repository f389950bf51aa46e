import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { noteCharactersMax } from '@waymark/proof/signed-note.ts';
import { type CheckpointPlace, CheckpointTaken, PlaceUnavailable, type PublishedCheckpoint } from './place.ts';

/** Texts under names that are written once. Its functions throw PlaceUnavailable. */
export type WriteOnceFiles = {
  /** Returns undefined where there is no such file, but the place itself is there. */
  readonly read: (path: FilePath) => Promise<string | undefined>;
  /** Writes a file, durably. Does nothing, or leaves it as it is, where it exists. */
  readonly write: (path: FilePath, text: string) => Promise<void>;
  readonly close: () => void;
};

/** The path of a checkpoint's file: `<folder>/<file>`. Both consist of letters and digits. */
export type FilePath = { readonly folder: string; readonly file: string };

/** Returns the path of a checkpoint: the first 16 characters of its origin's SHA-256, in hex, and its number in 12 digits. Public: never
 * change it. */
export const filePathOf = (origin: string, number: number): FilePath => ({
  folder: hash('sha256', origin).slice(0, originCharacters),
  file: String(number).padStart(numberDigits, '0'),
});

const originCharacters = 16;
const numberDigits = 12;

/** Size of a file: a character takes at most 4 bytes. */
export const noteBytesMax = noteCharactersMax * 4;
/** Limit of one request to a place over the network, including retries. */
export const requestMs = 10_000;

/** A store may show a file a moment after it was written. */
const readBackTries = 5;
const readBackPauseMs = 200;

/** Makes a place of files. */
export const placeOfFiles = (name: string, files: WriteOnceFiles): CheckpointPlace => {
  const read = (origin: string, number: number): Promise<string | undefined> => files.read(filePathOf(origin, number));

  /** Waits for the note that was written, by this process or by another one at the same time. */
  const readBack = async (origin: string, number: number): Promise<string> => {
    for (let tries = 1; ; tries += 1) {
      const kept = await read(origin, number);
      if (kept !== undefined) return kept;
      if (tries === readBackTries) throw new PlaceUnavailable(`${name} does not have checkpoint ${number} after it was written.`);
      await pause(readBackPauseMs);
    }
  };
  return {
    name,
    read,
    latest: (origin, from = 0) => latestOf((number) => read(origin, number), from),
    publish: async (origin, number, note) => {
      let kept = await read(origin, number);
      if (kept === undefined) {
        await files.write(filePathOf(origin, number), note);
        kept = await readBack(origin, number);
      }
      if (kept !== note) throw new CheckpointTaken(`${name} has another checkpoint ${number} of ${origin}.`);
    },
    close: files.close,
  };
};

/** Finds the last of the files 1, 2, 3 …, which have no gaps: with steps that double, then by bisection. */
const latestOf = async (read: (number: number) => Promise<string | undefined>, from: number): Promise<PublishedCheckpoint | undefined> => {
  let found: PublishedCheckpoint | undefined;
  const has = async (number: number): Promise<boolean> => {
    const note = await read(number);
    if (note !== undefined) found = { number, note };
    return note !== undefined;
  };
  let lowest = from;
  let step = 1;
  if (from > 0 && !(await has(from))) [lowest, step] = [0, 1];
  while (await has(lowest + step)) [lowest, step] = [lowest + step, step * 2];
  for (let missing = lowest + step; missing - lowest > 1; ) {
    const middle = lowest + Math.floor((missing - lowest) / 2);
    if (await has(middle)) lowest = middle;
    else missing = middle;
  }
  return found;
};
