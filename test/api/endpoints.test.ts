import { type Answer, statusAndBody } from './client.ts';
import { type EndpointStatus, endpointStatuses } from './documents.ts';
import { type Fields, make, resourceNamed, unknownId } from './samples.ts';
import { type Session, tokenCall } from './session.ts';
import { useTarget } from './target.ts';

// Every endpoint with every status that the specification lists for it. Other files test the content of the responses.

const waymark = useTarget();

type Endpoint = { readonly method: string; readonly path: string; readonly resource: string; readonly isMembership: boolean };
type Provoke = (endpoint: Endpoint) => Promise<Answer>;

const failures: Readonly<Record<number, unknown>> = {
  401: { detail: 'Authentication credentials were not provided.' },
  403: { detail: 'You do not have permission to perform this action.' },
  404: { detail: 'Not found.' },
};

const bodyFor = async ({ method, resource, isMembership }: Endpoint, me: Session): Promise<unknown> => {
  if (isMembership) return [];
  return method === 'POST' || method === 'PUT' ? resourceNamed(resource).body(me) : undefined;
};

const call = (endpoint: Endpoint, me: Session, id: number, body: unknown): Promise<Answer> => {
  const path = endpoint.path.replace('/v3.0', '').replace(':id', String(id));
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const minimal = endpoint.isMembership && endpoint.method === 'DELETE' ? { Prefer: 'return=minimal' } : {};
  const options = { headers: { ...type, ...minimal } };
  return me.send(endpoint.method, path, body === undefined ? options : { ...options, body: JSON.stringify(body) });
};

/** Sends a valid request to the endpoint. */
const asItShould: Provoke = async (endpoint) => {
  const me = await waymark.account();
  const { id } = await make(me, endpoint.resource);
  return call(endpoint, me, id, await bodyFor(endpoint, me));
};

const provoke: Readonly<Record<number, Provoke>> = {
  200: asItShould,
  201: asItShould,
  204: asItShould,
  400: async (endpoint) => {
    const me = await waymark.account();
    const { id } = await make(me, endpoint.resource);
    return call(endpoint, me, id, {} satisfies Fields);
  },
  401: async (endpoint) => {
    const path = endpoint.path.replace(':id', '1');
    return waymark.send({ method: endpoint.method, path });
  },
  403: async (endpoint) => {
    const me = await waymark.account();
    const { id } = await make(me, endpoint.resource);
    const narrowed = await waymark.session(me.application, endpoint.method === 'GET' ? 'write' : 'read');
    return call(endpoint, narrowed, id, await bodyFor(endpoint, me));
  },
  404: async (endpoint) => {
    const me = await waymark.account();
    return call(endpoint, me, unknownId, await bodyFor(endpoint, me));
  },
};

const rows = endpointStatuses().map(({ method, path, status }) => [method, path, status] as const);
const contentRows = rows.filter(([, path]) => !path.startsWith('/v3.0/oauth2'));

const endpointOf = ({ method, path }: Omit<EndpointStatus, 'status'>): Endpoint => ({
  method,
  path,
  resource: path.split('/')[2] ?? '',
  isMembership: path.endsWith('/:id/pinpoints'),
});

describe('Specification:', () => {
  it.each(contentRows)('%s %s answers %s', async (method, path, status) => {
    const answer = await provoke[status]?.(endpointOf({ method, path }));
    if (answer === undefined) throw new Error(`no request in this test provokes ${status}`);
    expect(answer.status).toBe(status);
    if (status === 204) expect(answer.text).toBe('');
    if (status in failures) expect(statusAndBody(answer)).toEqual({ status, body: failures[status] });
  });

  it('POST /v3.0/oauth2/token answers 200', async () => {
    const answer = await waymark.send(tokenCall(await waymark.application()));
    expect(statusAndBody(answer)).toEqual({
      status: 200,
      body: { access_token: expect.any(String), expires_in: 36000, scope: 'write read', token_type: 'Bearer' },
    });
  });
});
