import { createHash, randomBytes } from 'node:crypto';
import type { StoredFile } from '@waymark/domain/fields.ts';
import type { FileObject } from '@waymark/http/api/schemas/fields.ts';
import { type FieldErrors, tooLarge } from '@waymark/http/errors.ts';
import { inspectImage } from '@waymark/media/image/inspect.ts';
import { withoutMetadata } from '@waymark/media/image/metadata/metadata.ts';
import { fileBytesMax, type Media, MediaUnavailable, mediaTypes } from '@waymark/media/media.ts';
import { createTurnsByKey } from '@waymark/timing/turns-by-key.ts';
import { accountPicturesMax, accountPicturesWaitingMax } from '../limits.ts';
import { decodeBase64 } from './base64.ts';

/** A valid file of a request. The first call of `store` stores it; later calls return the same file. */
export type Upload = {
  readonly digest: string;
  readonly store: () => Promise<StoredFile>;
};

/** The file of a request: not mentioned (undefined), to be removed (null), or a new one; or the errors of the file. */
export type Accepted = { readonly upload: Upload | null | undefined; readonly errors: FieldErrors };

/** Checks a file of a parsed body, also the valid members of a file that has faulty ones. The errors include those of the schema.
 * @param errors the errors of the schema
 * @throws HttpError 413; MediaUnavailable */
export type Accept = (account: string, field: string, json: unknown, errors: FieldErrors) => Promise<Accepted>;

export const acceptInto =
  (media: Media): Accept =>
  async (account, field, json, { [field]: faulty = {} }) => {
    const file = (json as Readonly<Record<string, FileObject | null | undefined>> | null)?.[field];
    if (file === undefined || file === null) return { upload: file, errors: {} };
    // A list of faults is about the whole file.
    if (Array.isArray(faulty)) return { upload: undefined, errors: {} };
    const members = validMembers(file, faulty as FieldErrors);
    const bytes = decoded(field, members);
    const { type = '' } = members;
    const extension = extensionOf(type);
    const picture = bytes !== undefined && extension !== undefined ? await turns(account, () => pictureIn(bytes, type)) : {};
    const errors = { ...faulty, ...faultsOf(members, bytes, picture.fault) };
    if (picture.kept === undefined || extension === undefined || Object.keys(errors).length > 0) {
      return { upload: undefined, errors: { [field]: errors } };
    }
    return { upload: uploadOf(media, picture.kept, type, extension), errors: {} };
  };

/** Returns the extension of a media type that is accepted. The text is the client's: it may name what every object inherits. */
const extensionOf = (type: string): string | undefined => (Object.hasOwn(mediaTypes, type) ? mediaTypes[type] : undefined);

/** Returns the members of a file that have no fault in the schema. */
const validMembers = (file: FileObject, faulty: FieldErrors): Partial<FileObject> =>
  Object.fromEntries(Object.entries(file).filter(([member]) => !Object.hasOwn(faulty, member)));

const faultsOf = (
  { content, name, type }: Partial<FileObject>,
  bytes: Buffer | undefined,
  pictureFault: string | undefined,
): Record<string, readonly string[]> => {
  const errors: Record<string, readonly string[]> = {};
  if (type !== undefined && extensionOf(type) === undefined) errors['type'] = [`Must be one of ${Object.keys(mediaTypes).join(', ')}.`];
  if (name !== undefined && !/\.[^./\\]+$/.test(name)) errors['name'] = ['A file name with an extension is required.'];
  if (content !== undefined && bytes === undefined) errors['content'] = ['Must be standard base64, padded.'];
  if (pictureFault !== undefined) errors['content'] = [pictureFault];
  return errors;
};

/** The pictures of an account take turns, because all accounts share the threads that inspect them. */
const turns = createTurnsByKey(accountPicturesMax, {
  max: accountPicturesWaitingMax,
  tooMany: () => new MediaUnavailable('Too many pictures of an account wait.'),
});

/** Returns the bytes of a picture without its metadata, or what is wrong with it. */
const pictureIn = async (bytes: Buffer, type: string): Promise<{ readonly kept?: Buffer; readonly fault?: string }> => {
  const inspection = await inspectImage(bytes, type);
  const kept = inspection === 'ok' ? withoutMetadata(bytes, type) : undefined;
  if (kept !== undefined) return { kept };
  return { fault: (faultOf[inspection] ?? broken).replace('TYPE', type) };
};

const broken = 'The image cannot be read.';

const faultOf: Readonly<Record<Awaited<ReturnType<typeof inspectImage>>, string | undefined>> = {
  ok: undefined,
  mismatch: 'The content is not TYPE.',
  'too-many-pixels': 'The image has too many pixels.',
  broken,
};

/** Returns the bytes of a file; undefined if they are not encoded as the contract demands. While the type is not known, a prefix may name
 * any type. */
const decoded = (field: string, { content = '', type }: Partial<FileObject>): Buffer | undefined => {
  const prefix = type === undefined ? /^data:[^,]{0,255};base64,/.exec(content)?.[0] : `data:${type};base64,`;
  const text = prefix !== undefined && content.startsWith(prefix) ? content.slice(prefix.length) : content;
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
