import type { OutgoingHttpHeaders } from 'node:http';
import type { Answer } from '../../api/client.ts';
import type { Kind } from './kinds.ts';
import type { Person } from './people.ts';
import { find, isShown, type Model, type Thing } from './state.ts';

/** The response that the model expects: `text` exactly, `body` as `expect` compares. */
export type Expected = { readonly status: number; readonly text?: string; readonly body?: unknown };

export type Request = {
  readonly person: Person;
  readonly method: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
};

export const send = ({ person, method, path, ...options }: Request): Promise<Answer> => person.session.send(method, path, options);

/** Compares a response with the expected one. A failure names the request. */
export const expectResponse = (request: Request, answer: Answer, expected: Expected): void => {
  try {
    expect(answer.status).toBe(expected.status);
    expect(answer.headers['x-read-lag']).toBeUndefined();
    if (expected.text !== undefined) expect(answer.text).toBe(expected.text);
    if (expected.body !== undefined) expect(answer.body).toEqual(expected.body);
  } catch (error) {
    throw new Error(`${requestText(request)}\nanswered ${answer.status} ${answer.text.slice(0, 2_000)}\n${(error as Error).message}`, {
      cause: error,
    });
  }
};

const requestText = ({ person, method, path, headers, body }: Request): string => {
  const given = Object.keys(headers ?? {}).length > 0 ? ` ${JSON.stringify(headers)}` : '';
  return `${person.name}: ${method} ${path}${given} ${String(body ?? '').slice(0, 2_000)}`;
};

export const notFound: Expected = { status: 404, body: { detail: 'Not found.' } };
export const forbidden: Expected = { status: 403, body: { detail: 'You do not have permission to perform this action.' } };
export const detailed = (status: number): Expected => ({ status, body: { detail: expect.any(String) } });

/** Returns the refusal that comes before every other check: 401, then 403 for a missing scope. */
export const refusal = ({ account, scopes }: Person, scope: 'read' | 'write'): Expected | undefined => {
  if (account === '') return { status: 401, body: { detail: 'Authentication credentials were not provided.' } };
  return scopes.includes(scope) ? undefined : forbidden;
};

/** Returns the object that a request is about, or the expected refusal. */
export const objectOf = (model: Model, account: string, kind: Kind, id: number): Thing | Expected => {
  const thing = find(model, kind, id);
  if (thing === undefined || !isShown(model, thing)) return notFound;
  return thing.account === account ? thing : forbidden;
};

export const isThing = (found: Thing | Expected): found is Thing => 'kind' in found;

/** Records an entity tag. A tag belongs to one revision of an object and never changes. */
export const recordTag = (thing: Thing, revision: number, answer: Answer): void => {
  const tag = answer.headers.etag ?? '';
  expect(tag).toMatch(/^"[^"]+"$/);
  const known = thing.tags.get(revision);
  if (known === undefined) expect([...thing.tags.values()]).not.toContain(tag);
  else expect(tag).toBe(known);
  thing.tags.set(revision, tag);
};
