import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Operator, operatorAt } from './operator.ts';

type Received = { readonly request: string; readonly type: string | undefined; readonly body: string };

let server: Server;
let operator: Operator;
let received: Received[];
let statuses: number[];
beforeEach(async () => {
  [received, statuses] = [[], []];
  server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ request: `${request.method} ${request.url}`, type: request.headers['content-type'], body });
      response.writeHead(statuses.shift() ?? 200).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  operator = operatorAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'token');
});
afterEach(async () => {
  operator.close();
  await new Promise((resolve) => server.close(resolve));
});

describe('a call of the operator API', () => {
  it('encodes the parameters of its path', async () => {
    await operator.request('DELETE /operator/applications/:id/secrets/:secret', { parameters: { id: 'a/b', secret: 'é' } });
    expect(received).toMatchObject([{ request: 'DELETE /operator/applications/a%2Fb/secrets/%C3%A9', body: '' }]);
  });

  it('sends its body as JSON, or as the bytes that it is', async () => {
    await operator.request('POST /operator/writes', { body: { open: false } });
    await operator.requestWithRetries('POST /operator/import/media/:name', { parameters: { name: 'a.png' }, body: Buffer.from('bytes') });
    expect(received).toEqual([
      { request: 'POST /operator/writes', type: 'application/json', body: '{"open":false}' },
      { request: 'POST /operator/import/media/a.png', type: 'application/octet-stream', body: 'bytes' },
    ]);
  });

  it('names the person for whom it is made', async () => {
    await operator.as('Ä/7?').request('POST /operator/renew');
    await operator.as(undefined).request('POST /operator/renew');
    await operator.request('POST /operator/renew');
    expect(received.map(({ request }) => request)).toEqual([
      'POST /operator/renew?by=%C3%84%2F7%3F',
      'POST /operator/renew',
      'POST /operator/renew',
    ]);
  });

  it('is repeated after 503 only where the server may receive it twice', async () => {
    statuses = [503, 503];
    await expect(operator.request('POST /operator/rebuild')).rejects.toMatchObject({ ending: 'unreachable' });
    await operator.requestWithRetries('POST /operator/import/missing', { body: { names: [] } });
    expect(received).toHaveLength(3);
  });
});
