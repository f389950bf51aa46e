/** A stored file, as events name it. Stored: never rename a field. */
export type StoredFile = {
  /** A random 128-bit name with an extension. It is the last segment of the file's URL. */
  readonly name: string;
  /** SHA-256 of the bytes, in hex. */
  readonly digest: string;
  readonly type: string;
  readonly bytes: number;
};

/** Returns the fields of `asked` whose values differ from `current`. */
export const changes = <Fields extends object>(current: Fields, requested: Partial<Fields>): Partial<Fields> => {
  const changed: Partial<Fields> = {};
  for (const name of Object.keys(requested) as (keyof Fields)[]) {
    if (requested[name] !== undefined && !same(current[name], requested[name])) changed[name] = requested[name];
  }
  return changed;
};

export const isEmpty = (fields: object): boolean => Object.keys(fields).length === 0;

/** Compares two values of fields, which are JSON. Values are the same if their JSON texts are (-0 equals 0, as in JSON). Files are the same
 * if their bytes are. */
const same = (one: unknown, other: unknown): boolean => {
  if (one === other) return true;
  if (isFile(one) && isFile(other)) return one.digest === other.digest;
  return JSON.stringify(one) === JSON.stringify(other);
};

/** Returns whether the value of a field is a stored file. */
export const isFile = (value: unknown): value is StoredFile => typeof value === 'object' && value !== null && 'digest' in value;
