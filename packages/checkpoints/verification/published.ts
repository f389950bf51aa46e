import type { CheckpointPlace, PublishedCheckpoint } from '../place.ts';
import { comparedMax } from './limits.ts';

/** Published checkpoints of an origin, with which a log is compared: the last one, and earlier ones at equal distances. */
export type Published = {
  /** The number of the last one; 0 where none is published. */
  readonly latest: number;
  /** In ascending order. */
  readonly checkpoints: readonly PublishedCheckpoint[];
  /** Numbers below `latest` that the place does not have. */
  readonly missing: readonly number[];
};

/** Reads published checkpoints. A log that is read afterwards has them all.
 * @throws PlaceUnavailable */
export const readPublished = async ({ latest, read }: Pick<CheckpointPlace, 'latest' | 'read'>, origin: string): Promise<Published> => {
  const last = await latest(origin);
  if (last === undefined) return { latest: 0, checkpoints: [], missing: [] };
  const [checkpoints, missing]: [PublishedCheckpoint[], number[]] = [[], []];
  const step = Math.ceil(last.number / comparedMax);
  for (let number = 1; number < last.number; number += step) {
    const note = await read(origin, number);
    if (note === undefined) missing.push(number);
    else checkpoints.push({ number, note });
  }
  return { latest: last.number, checkpoints: [...checkpoints, last], missing };
};
