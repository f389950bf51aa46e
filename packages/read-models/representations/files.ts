import type { StoredFile } from '@waymark/domain/fields.ts';

/** The stored parts of a document: its prepared text, and its file in full. */
export type Prepared = {
  readonly text: string;
  /** `StoredFile` as JSON text. */
  readonly file: string | null;
};

/** Returns the reference to a stored file in a prepared text. The public URL is known only when the response is sent. */
export const fileReference = (file: StoredFile | null): string | null => file && `media:${file.name}`;

export const fileText = (file: StoredFile | null): string | null => file && JSON.stringify(file);

export const storedFile = (text: string | null): StoredFile | null => (text === null ? null : JSON.parse(text));

// The end of both `"media_url":"media:` and `"image_url":"media:`. User content cannot contain it: within a JSON string each quote has a
// backslash before it, so a quote right after `_url` closes a string; a colon after that makes this string a key; and users choose no keys.
const reference = '_url":"media:';

/** Replaces the file references in one prepared text, or in a page joined from many. `base`: the public base URL, without a trailing slash. */
export const completeFiles = (text: string, base: string): string => {
  if (text.indexOf(reference) === -1) return text;
  const url = `_url":"${JSON.stringify(base).slice(1, -1)}/media/`;
  return text.replaceAll(reference, () => url);
};
