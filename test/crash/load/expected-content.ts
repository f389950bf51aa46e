import type { Kind } from './objects.ts';

/** The content of a writer, with one line for each fact. The value of `pinpoints/<key>`, `lists/<key>` and `categories/<key>` is a version,
 * that of `events/<key>` a version and the pinpoint's key, and that of `members/<list's key>/<pinpoint's key>` is empty. The content
 * includes the consequences of each change. */
export type ExpectedContent = Readonly<Record<string, string>>;

export const nothing: ExpectedContent = {};

export const keysOf = (content: ExpectedContent, kind: Kind): readonly string[] =>
  Object.keys(content)
    .filter((line) => line.startsWith(`${kind}/`))
    .map((line) => line.slice(kind.length + 1));

export const eventLine = (version: number, pinpoint: string): string => `${version}@${pinpoint}`;

/** Returns the content without an object, and without the lines that are removed with it. */
export const without = (content: ExpectedContent, kind: Kind, key: string): ExpectedContent =>
  Object.fromEntries(Object.entries(content).filter(([line, value]) => !isRemovedWith(kind, key, line, value)));

const isRemovedWith = (kind: Kind, key: string, line: string, value: string): boolean => {
  if (line === `${kind}/${key}`) return true;
  if (kind === 'lists') return line.startsWith(`members/${key}/`);
  if (kind !== 'pinpoints') return false;
  return line.endsWith(`/${key}`) || (line.startsWith('events/') && value.endsWith(`@${key}`));
};

export const withMembers = (content: ExpectedContent, list: string, pinpoints: readonly string[]): ExpectedContent => ({
  ...content,
  ...Object.fromEntries(pinpoints.map((pinpoint) => [`members/${list}/${pinpoint}`, ''])),
});

export const withoutMembers = (content: ExpectedContent, list: string, pinpoints: readonly string[]): ExpectedContent => {
  const gone = new Set(pinpoints.map((pinpoint) => `members/${list}/${pinpoint}`));
  return Object.fromEntries(Object.entries(content).filter(([line]) => !gone.has(line)));
};
