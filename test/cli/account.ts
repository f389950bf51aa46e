import type { Desk, Served } from './waymark.ts';

export type Thing = { readonly id: number; readonly name: string; readonly [field: string]: unknown };
export type Credentials = { readonly client_id: string; readonly client_secret: string };

/** Returns every object of an account in one collection, as a new application of the account reads it. */
export const contentOf = async (desk: Desk, { api }: Served, account: string, collection: string): Promise<readonly Thing[]> => {
  const words = ['app', 'create', '--account', account, '--name', 'reader', '--scopes', 'read'];
  const token = await tokenFor(api, await desk.json<Credentials>(words));
  const things: Thing[] = [];
  for (let url: string | null = `${api}/v3.0/${collection}${collection.includes('?') ? '&' : '?'}limit=500`; url !== null; ) {
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
    const page = (await answer.json()) as { readonly results: readonly Thing[]; readonly next: string | null };
    things.push(...page.results);
    url = page.next;
  }
  return things;
};

const tokenFor = async (api: string, credentials: Credentials): Promise<string> => (await token(api, credentials)).body.access_token ?? '';

type TokenAnswer = { readonly status: number; readonly body: { readonly access_token?: string; readonly scope?: string } };

/** Requests a token, and returns the response. */
export const token = async (api: string, { client_id, client_secret }: Credentials): Promise<TokenAnswer> => {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const answer = await fetch(`${api}/v3.0/oauth2/token`, { method: 'POST', body });
  return { status: answer.status, body: (await answer.json()) as TokenAnswer['body'] };
};
