import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const algorithms = ['sha256', 'sha1', 'md5', 'sha512'] as const;
const encodings = ['hex', 'base64', 'base64url'] as const;

/** Returns the files of a directory that contain a text or an unsalted digest of it, and which. */
export const filesWith = (directory: string, text: string): readonly string[] =>
  filesUnder(directory).flatMap(({ path, bytes }) => {
    const trace = traceOf(text, bytes);
    return trace === undefined ? [] : [`${path}: ${trace}`];
  });

/** Returns all files of a directory. Those that a running server deletes meanwhile, such as a journal of SQLite, are left out. */
export const filesUnder = (directory: string): readonly { readonly path: string; readonly bytes: Buffer }[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).flatMap((path) => {
    const file = join(directory, path);
    try {
      return statSync(file).isFile() ? [{ path, bytes: readFileSync(file) }] : [];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  });

/** Returns what of a text is in some bytes: the text itself, or an unsalted digest of it or of its JSON text. A short text can be guessed from
 * such a digest. */
const traceOf = (text: string, bytes: Buffer): string | undefined => {
  if (bytes.includes(text)) return 'the text';
  for (const algorithm of algorithms) {
    for (const content of [text, JSON.stringify(text)]) {
      const digest = createHash(algorithm).update(content).digest();
      if (bytes.includes(digest)) return algorithm;
      if (encodings.some((encoding) => bytes.includes(digest.toString(encoding)))) return algorithm;
    }
  }
  return undefined;
};
