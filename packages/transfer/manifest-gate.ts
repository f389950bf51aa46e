import { exportFormat, type PartFolder, partPath } from './format.ts';
import type { StoredManifest, StoredPart } from './stored-manifest.ts';

/** Returns whether a value is a valid manifest of this format. No path in a valid manifest leads to a file elsewhere. */
export const isManifest = (value: unknown): value is StoredManifest => {
  if (!isObject(value)) return false;
  const { format, release, incarnation, time, position, final, events, files, marks, ids } = value;
  return (
    format === exportFormat &&
    [release, incarnation, time].every((text) => typeof text === 'string') &&
    isCount(position) &&
    typeof final === 'boolean' &&
    areEvents(events) &&
    areFiles(files) &&
    (marks === undefined || (isObject(marks) && areParts('marks', marks['parts'], marks['count']))) &&
    isObject(ids) &&
    areCounts(ids)
  );
};

const areEvents = (value: unknown): boolean =>
  isObject(value) &&
  isDigest(value['digest']) &&
  isCount(value['forgotten']) &&
  isObject(value['streams']) &&
  areCounts(value['streams']) &&
  areParts('events', value['parts'], value['count']);

const areFiles = (value: unknown): boolean =>
  isObject(value) && isCount(value['bytes']) && isCount(value['missing']) && areParts('files', value['parts'], value['count']);

/** Returns whether each part begins where the previous one ends, and all parts together have `count` lines. */
const areParts = (folder: PartFolder, value: unknown, count: unknown): boolean => {
  if (!Array.isArray(value)) return false;
  let first = 0;
  for (const part of value) {
    if (!isPart(part) || part.first !== first || part.path !== partPath(folder, first)) return false;
    first += part.lines;
  }
  return first === count;
};

const isPart = (value: unknown): value is StoredPart =>
  isObject(value) && isCount(value['first']) && isCount(value['lines']) && isCount(value['bytes']) && isDigest(value['sha256']);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const areCounts = (value: Readonly<Record<string, unknown>>): boolean => Object.values(value).every(isCount);
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
export const isDigest = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
