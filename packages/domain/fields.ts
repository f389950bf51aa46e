/** A stored file, as events name it. Stored: never rename a field. */
export type StoredFile = {
  /** Random 128-bit name with its extension: the last segment of its URL. */
  readonly name: string;
  /** SHA-256 of the bytes, hex. */
  readonly digest: string;
  readonly type: string;
  readonly bytes: number;
};

/** The fields of `asked` whose values differ from `current`. */
export const changes = <Fields extends object>(current: Fields, asked: Partial<Fields>): Partial<Fields> => {
  const changed: Partial<Fields> = {};
  for (const name of Object.keys(asked) as (keyof Fields)[]) {
    if (asked[name] !== undefined && !same(current[name], asked[name])) changed[name] = asked[name];
  }
  return changed;
};

export const isEmpty = (fields: object): boolean => Object.keys(fields).length === 0;

/** Values of fields are JSON: two are the same when their texts are (-0 counts as 0, as in JSON), two files when their bytes are. */
const same = (one: unknown, other: unknown): boolean => {
  if (one === other) return true;
  if (isFile(one) && isFile(other)) return one.digest === other.digest;
  return JSON.stringify(one) === JSON.stringify(other);
};

const isFile = (value: unknown): value is StoredFile => typeof value === 'object' && value !== null && 'digest' in value;
