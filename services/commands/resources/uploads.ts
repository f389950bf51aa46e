import { createHash, randomBytes } from 'node:crypto';
import type { StoredFile } from '@waymark/domain/fields.ts';
import type { FileObject } from '@waymark/http/api/schemas/fields.ts';
import { type FieldErrors, tooLarge } from '@waymark/http/errors.ts';
import { inspectImage } from '@waymark/media/image/inspect.ts';
import { withoutMetadata } from '@waymark/media/image/metadata/metadata.ts';
import { fileBytesMax, type Media, mediaTypes } from '@waymark/media/media.ts';
import { decodeBase64 } from './base64.ts';

/** A valid file of a request. The first call of `store` stores it; later calls return the same file. */
export type Upload = {
  readonly digest: string;
  readonly store: () => Promise<StoredFile>;
};

/** The file of a request: not mentioned (undefined), to be removed (null), or a new one; or the errors of the file. */
export type Accepted = { readonly upload: Upload | null | undefined; readonly errors: FieldErrors };

/** Checks a file of a request.
 * @throws HttpError 413; MediaUnavailable */
export type Accept = (field: string, file: FileObject | null | undefined) => Promise<Accepted>;

export const acceptInto =
  (media: Media): Accept =>
  async (field, file) => {
    if (file === undefined || file === null) return { upload: file, errors: {} };
    const bytes = decoded(field, file);
    const extension = mediaTypes[file.type];
    const errors: Record<string, string[]> = {};
    if (extension === undefined) errors['type'] = [`Must be one of ${Object.keys(mediaTypes).join(', ')}.`];
    if (!/\.[^./\\]+$/.test(file.name)) errors['name'] = ['A file name with an extension is required.'];
    if (bytes === undefined) errors['content'] = ['Must be standard base64, padded.'];
    if (extension === undefined || bytes === undefined) return { upload: undefined, errors: { [field]: errors } };
    const inspection = await inspectImage(bytes, file.type);
    const kept = inspection === 'ok' ? withoutMetadata(bytes, file.type) : undefined;
    const fault = faultOf[inspection === 'ok' && kept === undefined ? 'broken' : inspection];
    if (fault !== undefined) errors['content'] = [fault.replace('TYPE', file.type)];
    if (kept === undefined || Object.keys(errors).length > 0) return { upload: undefined, errors: { [field]: errors } };
    return { upload: uploadOf(media, kept, file.type, extension), errors: {} };
  };

const faultOf: Readonly<Record<Awaited<ReturnType<typeof inspectImage>>, string | undefined>> = {
  ok: undefined,
  mismatch: 'The content is not TYPE.',
  'too-many-pixels': 'The image has too many pixels.',
  broken: 'The image cannot be read.',
};

/** Returns the bytes of a file; undefined if they are not encoded as the contract demands. */
const decoded = (field: string, file: FileObject): Buffer | undefined => {
  const prefix = `data:${file.type};base64,`;
  const text = file.content.startsWith(prefix) ? file.content.slice(prefix.length) : file.content;
  const bytes = text === '' ? undefined : decodeBase64(text);
  if (bytes === undefined) return undefined;
  if (bytes.length > fileBytesMax) throw tooLarge(`${field}: larger than ${fileBytesMax / 1024 / 1024} MiB.`);
  return bytes;
};

const uploadOf = (media: Media, bytes: Buffer, type: string, extension: string): Upload => {
  const digest = createHash('sha256').update(bytes).digest('hex');
  let stored: Promise<StoredFile> | undefined;
  const put = async (): Promise<StoredFile> => {
    const name = `${randomBytes(16).toString('hex')}.${extension}`;
    await media.put(name, bytes);
    return { name, digest, type, bytes: bytes.length };
  };
  return {
    digest,
    store: () => {
      stored ??= put();
      return stored;
    },
  };
};

/** Returns the file that an object gets: unchanged (undefined), none (null), or a file. It is the current file if the same bytes were sent
 * again. */
export const fileOf = async (
  current: StoredFile | null | undefined,
  upload: Upload | null | undefined,
): Promise<StoredFile | null | undefined> => {
  if (upload === undefined || upload === null) return upload;
  return current?.digest === upload.digest ? current : upload.store();
};
