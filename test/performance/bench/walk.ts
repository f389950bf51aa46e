import { call, type Reached } from './client.ts';
import { limits } from './limits.ts';

type Page = { readonly results: readonly { readonly id: number }[]; readonly next: string | null };

export type Walk = {
  readonly ids: readonly number[];
  /** Path of the last page: a later walk goes on from it. */
  readonly last: string;
};

/** Everything from a page on, by its `next` links. */
export const walk = async (server: Reached, from = firstPage(limits.walkPageSize)): Promise<Walk> => {
  const ids: number[] = [];
  let last = from;
  for await (const [path, page] of pagesFrom(server, from)) {
    for (const { id } of page.results) ids.push(id);
    last = path;
  }
  return { ids, last };
};

/** What has come since an earlier walk, which ended with the page that this one begins with. */
export const walkOn = async (server: Reached, earlier: Walk): Promise<Walk> => {
  const known = earlier.ids.at(-1) ?? 0;
  const later = await walk(server, earlier.last);
  return { ...later, ids: later.ids.filter((id) => id > known) };
};

/** Paths of all full pages of 20: links are opaque, there is no other way to deep ones. */
export const fullPages = async (server: Reached): Promise<readonly string[]> => {
  const paths: string[] = [];
  for await (const [path, page] of pagesFrom(server, firstPage(limits.pageSize)))
    if (page.results.length === limits.pageSize) paths.push(path);
  return paths;
};

const firstPage = (limit: number): string => `/v3.0/pinpoints?limit=${limit}`;

async function* pagesFrom(server: Reached, from: string): AsyncGenerator<readonly [path: string, page: Page]> {
  let path = from;
  for (let turned = 0; turned < limits.walkPages; turned += 1) {
    const page = (await call(server.base + path, { token: server.token })) as Page;
    yield [path, page];
    if (page.next === null) return;
    path = page.next.slice(new URL(page.next).origin.length);
  }
  throw new Error(`more than ${limits.walkPages} pages`);
}
