import type { Api } from '../client/api.ts';
import { jsonOf } from '../client/http.ts';
import { membersAtOnceMax, pageItemsMax } from '../limits.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';

/** An object as the API returns it. */
export type ApiObject = { readonly id: number; readonly [field: string]: unknown };

type Page = { readonly results: readonly ApiObject[]; readonly next: string | null };

/** Yields every object of a collection. */
export async function* everyOf(api: Api, collection: string): AsyncGenerator<ApiObject> {
  for (let path: string | undefined = `${collection}?limit=${pageItemsMax}`; path !== undefined; ) {
    const { results, next }: Page = await got<Page>(api, path);
    yield* results;
    path = next === null ? undefined : below(next);
  }
}

/** Returns the part of a URL below `/v3.0`. `next` is on the public base URL, which may not be the address that this process uses. */
const below = (url: string): string => url.slice(url.indexOf('/v3.0/') + '/v3.0'.length);

const got = async <Body>(api: Api, path: string): Promise<Body> => expected(await api.send({ method: 'GET', path }), path);

export const create = async (api: Api, collection: string, body: object, idempotencyKey: string): Promise<ApiObject> =>
  expected(await api.send({ method: 'POST', path: collection, body: JSON.stringify(body), idempotencyKey }), collection);

/** Adds members to a list. Existing members stay. */
export const addMembers = async (api: Api, list: number, pinpoints: readonly number[]): Promise<void> => {
  for (let from = 0; from < pinpoints.length; from += membersAtOnceMax) {
    const members = pinpoints.slice(from, from + membersAtOnceMax).map((id) => ({ id }));
    const path = `/lists/${list}/pinpoints`;
    expected(await api.send({ method: 'POST', path, body: JSON.stringify(members) }), path);
  }
};

const expected = <Body>(answer: Awaited<ReturnType<Api['send']>>, path: string): Body => {
  const body = jsonOf<Body>(answer);
  if (answer.status < 300 && body !== undefined) return body;
  throw new CommandFailed('failed', `The API answered ${answer.status} to ${path}: ${answer.text.slice(0, 500)}`);
};
