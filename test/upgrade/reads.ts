import { type ClientCredentials, tokenCall } from '../api/session.ts';
import type { Send } from '../outside/recorded.ts';

/** A request without a body, and its response. */
export type Read = {
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const kinds = ['pinpoints', 'lists', 'categories', 'events'] as const;
/** A number above all ids that an archive holds. */
const idsEnd = 6;
/** The page size. Pages of this size have cursors. */
const limit = 2;
/** The headers that are compared, in addition to the body. */
const lasting = ['content-type', 'etag', 'cache-control', 'last-modified'] as const;

/** What an application authenticates with, of all that it is created with. */
export const credentialsOf = ({ client_id, client_secret }: ClientCredentials): ClientCredentials => ({ client_id, client_secret });

/** Returns a function that reads with a new token of an application. */
export const newReader = async (send: Send, credentials: ClientCredentials): Promise<(path: string) => Promise<Read>> => {
  const { access_token } = (await send(tokenCall(credentials))).body as { readonly access_token: string };
  return async (path) => {
    const { status, headers: all, bytes } = await send({ method: 'GET', path, headers: { Authorization: `Bearer ${access_token}` } });
    const headers = Object.fromEntries(lasting.flatMap((name) => (all[name] === undefined ? [] : [[name, `${all[name]}`]])));
    return { path, status, headers, body: bytes.toString('base64') };
  };
};

/** Reads everything that an application may read: objects, objects that do not exist, pages to their end, files. */
export const readAll = async (read: (path: string) => Promise<Read>): Promise<readonly Read[]> => {
  const ids = Array.from({ length: idsEnd }, (_, nth) => nth + 1);
  const objects = kinds.flatMap((kind) => ids.map((id) => `/v3.0/${kind}/${id}`));
  const pages = [...kinds.map((kind) => `${kind}?`), ...ids.flatMap((id) => [`pinpoints?list=${id}&`, `events?pinpoint=${id}&`])];
  const reads: Read[] = [];
  for (const path of objects) reads.push(await read(path));
  for (const page of pages) reads.push(...(await walk(read, `/v3.0/${page}limit=${limit}`)));
  for (const path of filesIn(reads)) reads.push(await read(path));
  return reads;
};

const walk = async (read: (path: string) => Promise<Read>, first: string): Promise<readonly Read[]> => {
  const pages: Read[] = [];
  for (let path: string | undefined = first; path !== undefined; ) {
    const page = await read(path);
    pages.push(page);
    const { next } = JSON.parse(textOf(page)) as { readonly next?: string | null };
    path = next ? pathOf(next) : undefined;
  }
  return pages;
};

export const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
};

const textOf = ({ body }: Read): string => Buffer.from(body, 'base64').toString();

/** A response without the parts that name the log, which an import does not keep: entity tags, and the cursors of pages. */
export const withoutCursors = ({ path, status, headers: { etag: _, ...headers }, body }: Read): object => ({
  path,
  status,
  headers,
  body: headers['content-type']?.startsWith('image/')
    ? body
    : Buffer.from(body, 'base64')
        .toString()
        .replaceAll(/cursor=[^"&]+/g, 'cursor='),
});

const filesIn = (reads: readonly Read[]): readonly string[] => [
  ...new Set(
    reads.flatMap((read) => [...textOf(read).matchAll(/"(?:media|image)_url":"(http[^"]+)"/g)].map(([, url = '']) => pathOf(url))),
  ),
];
