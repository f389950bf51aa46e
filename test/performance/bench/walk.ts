import { call, type Endpoint } from './client.ts';
import { limits } from './limits.ts';

type Page = { readonly results: readonly { readonly id: number }[]; readonly next: string | null };

export type Walk = {
  readonly ids: readonly number[];
  /** The path of the last page, from which a later walk continues. */
  readonly last: string;
};

/** Reads everything from a page on, through its `next` links. */
export const walk = async (server: Endpoint, from = firstPage(limits.walkPageSize)): Promise<Walk> => {
  const ids: number[] = [];
  let last = from;
  for await (const [path, page] of pagesFrom(server, from)) {
    for (const { id } of page.results) ids.push(id);
    last = path;
  }
  return { ids, last };
};

/** Reads what was added since an earlier walk. It begins with the page with which the earlier one ended. */
export const walkOn = async (server: Endpoint, earlier: Walk): Promise<Walk> => {
  const known = earlier.ids.at(-1) ?? 0;
  const later = await walk(server, earlier.last);
  return { ...later, ids: later.ids.filter((id) => id > known) };
};

/** Returns the paths of all full pages of 20. Links are opaque, so there is no other way to reach deep pages. */
export const fullPages = async (server: Endpoint): Promise<readonly string[]> => {
  const paths: string[] = [];
  for await (const [path, page] of pagesFrom(server, firstPage(limits.pageSize)))
    if (page.results.length === limits.pageSize) paths.push(path);
  return paths;
};

const firstPage = (limit: number): string => `/v3.0/pinpoints?limit=${limit}`;

async function* pagesFrom(server: Endpoint, from: string): AsyncGenerator<readonly [path: string, page: Page]> {
  let path = from;
  for (let turned = 0; turned < limits.walkPages; turned += 1) {
    const page = (await call(server.base + path, { token: server.token })) as Page;
    yield [path, page];
    if (page.next === null) return;
    path = page.next.slice(new URL(page.next).origin.length);
  }
  throw new Error(`more than ${limits.walkPages} pages`);
}
