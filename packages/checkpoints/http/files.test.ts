import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { placeContract } from '../contract/place.ts';
import { PlaceUnavailable } from '../place.ts';
import { openPlace } from '../urls.ts';

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

const bodyOf = async (request: IncomingMessage): Promise<string> => Buffer.concat(await request.toArray()).toString();

/** Starts a server that keeps files as a store with conditional writes does, for one user. */
const newServer = async (status?: number): Promise<URL> => {
  const files = new Map<string, string>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    const body = await bodyOf(request);
    const known = files.get(path);
    if (status !== undefined) response.writeHead(status);
    else if (request.headers.authorization !== `Basic ${btoa('user:p@ss')}`) response.writeHead(401);
    else if (request.method === 'GET') response.writeHead(known === undefined ? 404 : 200).write(known ?? 'nothing');
    else if (known !== undefined) response.writeHead(request.headers['if-none-match'] === '*' ? 412 : 500);
    else {
      files.set(path, body);
      response.writeHead(201);
    }
    response.end();
  };
  const server = createServer((request, response) => void answer(request, response));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return new URL(`http://user:p%40ss@127.0.0.1:${(server.address() as AddressInfo).port}/some/path`);
};

placeContract(
  'an HTTP server',
  async () => openPlace((await newServer()).href),
  () => openPlace('http://127.0.0.1:1/gone'),
);

describe('an HTTP server', () => {
  it.each([301, 403, 500, 503])('that answers with status %i is unavailable', async (status) => {
    const place = await openPlace((await newServer(status)).href);
    for (const call of [() => place.read('origin', 1), () => place.publish('origin', 1, 'note')]) {
      const refused: unknown = await call().catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(PlaceUnavailable);
      expect(String(refused)).not.toContain('p@ss');
    }
  });
});
