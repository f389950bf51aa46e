import type { OpenCall } from '@waymark/http/app.ts';
import { failedAuthentication } from '@waymark/http/authentication-failures.ts';
import type { HttpError } from '@waymark/http/errors.ts';
import { isContentType } from '@waymark/http/request/body.ts';
import { formBody } from '@waymark/http/request/request-body.ts';
import { invalidClient, invalidRequest } from './oauth-errors.ts';

/** A request to an `oauth2` endpoint: only plain strings, each parameter once, and credentials in one place. */
export type ClientRequest = {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The form's fields without the credentials. */
  readonly form: ReadonlyMap<string, string>;
};

type Credentials = { readonly id: string; readonly secret: string };

/** Reads and checks a request.
 * @throws HttpError 400 invalid_request, 401 invalid_client, 413 */
export const readClientRequest = async (call: OpenCall): Promise<ClientRequest> => {
  const { request } = call;
  const form = await readForm(call);
  const basic = basicCredentials(request.headers.authorization);
  const id = form.get('client_id');
  const secret = form.get('client_secret');
  form.delete('client_id');
  form.delete('client_secret');
  if (basic) {
    if (secret !== undefined) throw invalidRequest('Credentials may stand in one place only.');
    if (id !== undefined && id !== basic.id) throw invalidRequest('The client_id is not the one of the Authorization header.');
    return { clientId: basic.id, clientSecret: basic.secret, form };
  }
  if (id === undefined && secret === undefined) throw failedAuthentication(invalidClient(), 'missing');
  if (id === undefined || secret === undefined) throw malformed();
  return { clientId: id, clientSecret: secret, form };
};

const malformed = (): HttpError => failedAuthentication(invalidClient(), 'malformed');

const formType = 'application/x-www-form-urlencoded';

const readForm = async ({ request, body }: OpenCall): Promise<Map<string, string>> => {
  const bytes = await body.read(formBody);
  if (!isContentType(request.headers['content-type'], formType)) throw invalidRequest('The body must be form-encoded.');
  const form = new Map<string, string>();
  const names = new Set<string>();
  for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) {
    if (names.has(name)) throw invalidRequest('A parameter may stand once.');
    names.add(name);
    // RFC 6749: a parameter without a value is treated as omitted.
    if (value !== '') form.set(name, value);
  }
  return form;
};

/** Returns undefined without an `Authorization` header. Client ids and secrets of Waymark need no URL decoding. */
const basicCredentials = (authorization: string | undefined): Credentials | undefined => {
  if (authorization === undefined) return undefined;
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization)?.[1];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? [];
  if (id === undefined || secret === undefined) throw malformed();
  return { id, secret };
};
