import type { OutgoingHttpHeaders } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Call } from './client.ts';

export type Send = (call: Call) => Promise<Answer>;

export type Application = {
  readonly client_id: string;
  readonly client_secret: string;
  readonly secret_id: string;
  readonly account: string;
};

/** An object of the API. */
export type Thing = { readonly id: number; readonly [field: string]: unknown };
export type Page = { readonly results: readonly Thing[]; readonly next: string | null; readonly previous: string | null };

type Options = { readonly headers?: OutgoingHttpHeaders; readonly body?: string | Buffer };

/** An application with a token. Paths are below `/v3.0`, or begin with `/audit/`, or are complete URLs as pages return them. */
export type Session = {
  readonly application: Application;
  readonly token: string;
  /** Sends any body, unchanged. */
  readonly send: (method: string, path: string, options?: Options) => Promise<Answer>;
  readonly get: (path: string, headers?: OutgoingHttpHeaders) => Promise<Answer>;
  readonly post: (path: string, body: unknown, headers?: OutgoingHttpHeaders) => Promise<Answer>;
  readonly put: (path: string, body: unknown, headers?: OutgoingHttpHeaders) => Promise<Answer>;
  readonly delete: (path: string, body?: unknown, headers?: OutgoingHttpHeaders) => Promise<Answer>;
  /** Posts a body that must be accepted. Where the read side lags, waits until what was created is visible. */
  readonly create: (path: string, body: unknown) => Promise<Thing>;
  /** Gets an object that must exist. */
  readonly read: (path: string) => Promise<Thing>;
  readonly page: (path: string) => Promise<Page>;
};

/** On a machine that is busy with other tests. */
const lagsAtMostMs = 60_000;
const lookEveryMs = 100;

export const openSession = (sendCall: Send, application: Application, token: string): Session => {
  const send = (method: string, path: string, { headers, ...rest }: Options = {}): Promise<Answer> =>
    sendCall({ method, path: wirePath(path), headers: { Authorization: `Bearer ${token}`, ...headers }, ...rest });
  const sendJson = (method: string, path: string, body: unknown, headers?: OutgoingHttpHeaders): Promise<Answer> =>
    send(method, path, { headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) });
  const get: Session['get'] = (path, headers = {}) => send('GET', path, { headers });
  const post: Session['post'] = (path, body, headers) => sendJson('POST', path, body, headers);

  return {
    application,
    token,
    send,
    get,
    post,
    put: (path, body, headers) => sendJson('PUT', path, body, headers),
    delete: (path, body, headers = {}) =>
      body === undefined ? send('DELETE', path, { headers }) : sendJson('DELETE', path, body, headers),
    create: async (path, body) => {
      const answer = await post(path, body);
      const made = bodyOf<Thing>(answer, 201);
      const place = `/${path.split('/').filter(Boolean).at(-1)}/${made.id}`;
      const untilMs = performance.now() + lagsAtMostMs;
      while (answer.headers['x-read-lag'] && (await get(place)).status !== 200 && performance.now() < untilMs) await pause(lookEveryMs);
      return made;
    },
    read: async (path) => bodyOf<Thing>(await get(path), 200),
    page: async (path) => bodyOf<Page>(await get(path), 200),
  };
};

const wirePath = (path: string): string => {
  if (path.startsWith('/')) return path.startsWith('/audit/') ? path : `/v3.0${path}`;
  const { pathname, search } = new URL(path);
  return `${pathname}${search}`;
};

/** Returns the JSON of a response that must have this status. */
export const bodyOf = <Body>(answer: Answer, status: number): Body => {
  if (answer.status !== status) throw new Error(`${status} expected, not ${answer.status}: ${answer.text.slice(0, 1_000)}`);
  return JSON.parse(answer.text);
};

export const idsOf = (page: Page): number[] => page.results.map(({ id }) => id);

/** The credentials of an application. */
export type ClientCredentials = Pick<Application, 'client_id' | 'client_secret'>;

export const basic = ({ client_id, client_secret }: ClientCredentials): string =>
  `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;

/** Creates a form post with client credentials in the header, as the specification shows it. */
export const formCall = (path: string, form: Record<string, string>, application?: ClientCredentials): Call => ({
  method: 'POST',
  path: `/v3.0/oauth2/${path}`,
  headers: {
    'Content-Type': 'application/x-www-form-urlencoded',
    ...(application === undefined ? {} : { Authorization: basic(application) }),
  },
  body: new URLSearchParams(form).toString(),
});

export const tokenCall = (application: ClientCredentials, form: Record<string, string> = {}): Call =>
  formCall('token', { client_id: application.client_id, grant_type: 'client_credentials', ...form }, application);
