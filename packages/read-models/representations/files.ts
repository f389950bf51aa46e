import type { StoredFile } from '@waymark/domain/fields.ts';

/** What a prepared text keeps of a document: the answer, and beside it the whole of its stored file. */
export type Prepared = {
  readonly text: string;
  /** `StoredFile` as JSON text. */
  readonly file: string | null;
};

/** How a prepared text names a stored file: the public URL is known only where the answer goes out. */
export const fileReference = (file: StoredFile | null): string | null => file && `media:${file.name}`;

export const fileText = (file: StoredFile | null): string | null => file && JSON.stringify(file);

export const storedFile = (text: string | null): StoredFile | null => (text === null ? null : JSON.parse(text));

// Ends both `"media_url":"media:` and `"image_url":"media:`. Nothing that a user wrote can contain it: within a string of JSON each quote
// has a backslash before it, so a quote right after `_url` closes a string; a colon after that makes this string a key; and keys are ours.
const reference = '_url":"media:';

/** Completes the file URLs in one prepared text, or in a page joined from many. `base`: the public base URL, without a slash at its end. */
export const completeFiles = (text: string, base: string): string => {
  if (text.indexOf(reference) === -1) return text;
  const url = `_url":"${JSON.stringify(base).slice(1, -1)}/media/`;
  return text.replaceAll(reference, () => url);
};
