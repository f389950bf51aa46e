/** A bucket of S3, or of a store with a compatible API. It must exist, and the store must support conditional writes (`If-None-Match`). */
export type S3Location = {
  /** `http://host:port` or `https://…`. */
  readonly endpoint: string;
  /** The key of an application. Undefined: the library's default chain finds the identity that the environment gives to the process. */
  readonly key: { readonly access: string; readonly secret: string } | undefined;
  readonly bucket: string;
  /** The prefix of every key; empty for none. */
  readonly prefix: string;
  readonly region: string | undefined;
};

/** The form of the URL of a bucket, for messages. */
export const s3UrlForm = 's3+http://key:secret@host:port/bucket, optionally followed by /prefix and ?region=…; key:secret@ may be left out';

/** Whether a text begins as the URL of a bucket does. */
export const isS3Url = (text: string): boolean => /^s3\+https?:\/\//.test(text);

/** Parses the URL of a bucket. Returns undefined if it has another form. */
export const parseS3Url = (text: string): S3Location | undefined => {
  const parsed = isS3Url(text) ? URL.parse(text.slice('s3+'.length)) : null;
  if (parsed === null) return undefined;
  const { origin, username, password, pathname, searchParams, hash } = parsed;
  const [bucket, ...folders] = pathname.slice(1).split('/').map(decodePercent);
  const [access, secret] = [decodePercent(username), decodePercent(password)];
  const key = access && secret ? { access, secret } : undefined;
  if ((key === undefined && username + password !== '') || !bucket || folders.includes(undefined) || hash !== '') return undefined;
  if ([...searchParams.keys()].some((name) => name !== 'region')) return undefined;
  const prefix = folders
    .filter((folder) => folder !== '')
    .map((folder) => `${folder}/`)
    .join('');
  return { endpoint: origin, key, bucket, prefix, region: searchParams.get('region') || undefined };
};

/** Decodes percent-encoding. Returns undefined if the text is not valid. */
export const decodePercent = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};
