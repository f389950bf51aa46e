/** Returns the one JSON text of a value, as RFC 8785 defines it: no blanks, the members of objects sorted by the UTF-16 units of their names,
 * strings and numbers as ECMAScript writes them. A lone surrogate, which RFC 8785 refuses, is written as its escape (`\ud800`).
 * @throws RangeError where the value is nested too deeply */
export const canonicalJson = (value: unknown): string => {
  if (isPrimitive(value)) return JSON.stringify(value);
  // ECMAScript writes a list without objects as RFC 8785 defines it, and in less time.
  if (Array.isArray(value)) return hasNoObjects(value) ? JSON.stringify(value) : `[${value.map(canonicalJson).join(',')}]`;
  return `{${membersByName(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`)
    .join(',')}}`;
};

type Primitive = string | number | boolean | null | undefined;

const isPrimitive = (value: unknown): value is Primitive => typeof value !== 'object' || value === null;

const hasNoObjects = (list: readonly unknown[]): boolean =>
  list.every((item) => isPrimitive(item) || (Array.isArray(item) && hasNoObjects(item)));

/** Returns the names and values of an object, sorted by the UTF-16 units of the names. */
export const membersByName = (value: object): readonly (readonly [string, unknown])[] =>
  // Without a function, `sort` compares texts by their UTF-16 units.
  Object.keys(value)
    .sort()
    .map((name) => [name, (value as Readonly<Record<string, unknown>>)[name]]);
