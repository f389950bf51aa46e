import type { Kind } from './things.ts';

/** The content of a writer, with one line for each fact. The value of `pinpoints/<key>`, `lists/<key>` and `categories/<key>` is a version,
 * that of `events/<key>` a version and the pinpoint's key, and that of `members/<list's key>/<pinpoint's key>` is empty. The content
 * includes the consequences of each change. */
export type World = Readonly<Record<string, string>>;

export const nothing: World = {};

export const keysOf = (world: World, kind: Kind): readonly string[] =>
  Object.keys(world)
    .filter((line) => line.startsWith(`${kind}/`))
    .map((line) => line.slice(kind.length + 1));

export const eventLine = (version: number, pinpoint: string): string => `${version}@${pinpoint}`;

/** Returns the content without an object, and without the lines that are removed with it. */
export const without = (world: World, kind: Kind, key: string): World =>
  Object.fromEntries(Object.entries(world).filter(([line, value]) => !goesWith(kind, key, line, value)));

const goesWith = (kind: Kind, key: string, line: string, value: string): boolean => {
  if (line === `${kind}/${key}`) return true;
  if (kind === 'lists') return line.startsWith(`members/${key}/`);
  if (kind !== 'pinpoints') return false;
  return line.endsWith(`/${key}`) || (line.startsWith('events/') && value.endsWith(`@${key}`));
};

export const withMembers = (world: World, list: string, pinpoints: readonly string[]): World => ({
  ...world,
  ...Object.fromEntries(pinpoints.map((pinpoint) => [`members/${list}/${pinpoint}`, ''])),
});

export const withoutMembers = (world: World, list: string, pinpoints: readonly string[]): World => {
  const gone = new Set(pinpoints.map((pinpoint) => `members/${list}/${pinpoint}`));
  return Object.fromEntries(Object.entries(world).filter(([line]) => !gone.has(line)));
};
