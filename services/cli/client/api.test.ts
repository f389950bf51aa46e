import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Api, openApi, withCorrelation } from './api.ts';

type Reply = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown };

const credentials = { client_id: 'id', client_secret: 'secret', secret_id: 's' };
let server: Server;
let api: Api | undefined;
afterEach(() => {
  api?.close();
  server.close();
});

/** Starts a server that answers content requests with these replies in order, and then repeats the last one. It issues numbered tokens. */
const against = async (...replies: Reply[]) => {
  const seen: string[] = [];
  let tokens = 0;
  const answer = (request: IncomingMessage): Reply => {
    if (request.url === '/v3.0/oauth2/token') return { status: 200, body: { access_token: `token-${++tokens}` } };
    const { authorization, 'idempotency-key': key = '', 'correlation-id': related = '' } = request.headers;
    seen.push(`${request.method} ${request.url} ${authorization} ${key} ${related}`.trim());
    return replies[Math.min(seen.length, replies.length) - 1] ?? { status: 500 };
  };
  server = createServer((request, response) => {
    const { status, headers, body } = answer(request);
    request.resume();
    response.writeHead(status, headers).end(JSON.stringify(body ?? {}));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  api = openApi({
    url: `http://127.0.0.1:${port}`,
    credentials: async () => credentials,
    inFlight: 4,
  });
  return { api, seen };
};

const call = { method: 'POST', path: '/pinpoints', body: '{}', idempotencyKey: 'key' } as const;

describe('the client of the content API', () => {
  it('requests a token once, and sends it with every request', async () => {
    const { api: client, seen } = await against({ status: 201 });
    const answers = await Promise.all([client.send(call), client.send(call), client.send(call)]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(seen)).toEqual(new Set(['POST /v3.0/pinpoints Bearer token-1 key']));
  });

  it('gets a new token when the server no longer accepts the old one', async () => {
    const { api: client, seen } = await against({ status: 401 }, { status: 200 });
    expect((await client.send(call)).status).toBe(200);
    expect(seen.at(-1)).toContain('token-2');
  });

  it.each([429, 503, 409])('repeats a request with the same key after a %i, no earlier than Retry-After allows', async (status) => {
    const { api: client, seen } = await against({ status, headers: { 'Retry-After': '1' } }, { status: 201 });
    const startedMs = performance.now();
    expect((await client.send(call)).status).toBe(201);
    expect(performance.now() - startedMs).toBeGreaterThan(950);
    expect(seen).toEqual(Array(2).fill('POST /v3.0/pinpoints Bearer token-1 key'));
  });

  it('does not repeat a request that the server refuses as invalid', async () => {
    const { api: client, seen } = await against({ status: 400, body: { name: ['This field is required.'] } });
    expect(await client.send(call)).toMatchObject({ status: 400, text: '{"name":["This field is required."]}' });
    expect(seen).toHaveLength(1);
  });

  it('sends its correlation with every request', async () => {
    const { api: uncorrelated, seen } = await against({ status: 201 });
    const client = withCorrelation(uncorrelated, 'one-operation');
    await client.send(call);
    await client.send({ method: 'GET', path: '/pinpoints' });
    expect(seen).toEqual(['POST /v3.0/pinpoints Bearer token-1 key one-operation', expect.stringMatching(/ one-operation$/)]);
  });

  it('gives up when every attempt fails', async () => {
    const { api: client, seen } = await against({ status: 500 });
    await expect(client.send(call)).rejects.toThrow('did not accept POST /pinpoints in 20 attempts');
    expect(seen).toHaveLength(20);
  });
});
