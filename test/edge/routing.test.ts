import { contentEndpoints } from '@waymark/http/api/endpoints.ts';
import { describeWithNginx, type Edge, startEdge } from './edge.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'];
const writing = ['POST', 'PUT', 'DELETE'];
const replica = /2$/;

const ofResources = Object.keys(contentEndpoints).flatMap((path) => {
  const plain = `/v3.0${path.replace(':id', '7')}`;
  return [plain, `${plain}/`, `${plain}?list=1`];
});
const ofTokens = ['/v3.0/oauth2/token', '/v3.0/oauth2/revoke', '/v3.0/oauth2/', '/.well-known/oauth-authorization-server'];
const ofHistory = [
  '/audit/v1',
  '/audit/v1?',
  '/audit/v1/changesets',
  '/audit/v1/changesets/',
  '/audit/v1/pinpoints/12/history?limit=5',
  '/audit/v1/nothing',
];
const reading = ['GET', 'HEAD', 'OPTIONS'];
const ofNobody = [
  '/',
  '/v3.0',
  '/v3.0/nothing',
  '/v3.0/pinpointsx',
  '/v3.0/Lists',
  '/V3.0/lists',
  '/v3x0/lists',
  '/v3.0//lists',
  '/lists',
  '/openapi.json',
  '/media/0f.png',
  '/v3.0/oauth2x',
  '/x?y=/v3.0/lists',
  '/audit/v1x',
  '/audit/v2/changesets',
  '/audit',
  '/Audit/v1/changesets',
];

describeWithNginx('The edge: routing:', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge();
  });
  afterAll(() => edge.remove());

  const serviceOf = async (method: string, path: string): Promise<string> => {
    edge.arrived();
    const answer = await edge.send({ method, path });
    const arrived = edge.arrived();
    expect(arrived.map((request) => [request.method, request.url])).toEqual([[method, path]]);
    expect(answer.headers['x-service']).toBe(arrived[0]?.service);
    return `${arrived[0]?.service}`.replace(replica, '');
  };

  it.each(methods)('%s of a resource', async (method) => {
    for (const path of ofResources) {
      const resource = /\/v3\.0\/(\w+)/.exec(path)?.[1];
      expect([path, await serviceOf(method, path)]).toEqual([path, writing.includes(method) ? resource : 'query']);
    }
  });

  it.each(methods)('%s of a token path', async (method) => {
    for (const path of ofTokens) expect([path, await serviceOf(method, path)]).toEqual([path, 'auth']);
  });

  it.each(methods)('%s of a path of the history', async (method) => {
    for (const path of ofHistory)
      expect([path, await serviceOf(method, path)]).toEqual([path, reading.includes(method) ? 'auditor' : 'audit']);
  });

  it.each(methods)('%s of any other path', async (method) => {
    for (const path of ofNobody) expect([path, await serviceOf(method, path)]).toEqual([path, 'query']);
  });

  it('its internal locations cannot be requested', async () => {
    for (const path of ['/-/command', '/-/503']) {
      for (const method of ['GET', 'POST']) {
        const { status, text } = await edge.send({ method, path });
        expect({ status, text }).toEqual({ status: 404, text: '{"detail":"Not found."}' });
      }
    }
    expect(edge.arrived()).toEqual([]);
  });

  it('replicas take turns', async () => {
    for (let asked = 0; asked < 8; asked += 1) {
      await edge.send({ method: 'GET', path: '/v3.0/lists' });
      await edge.send({ method: 'POST', path: '/v3.0/lists' });
    }
    expect(new Set(edge.arrived().map(({ service }) => service))).toEqual(new Set(['query', 'query2', 'lists', 'lists2']));
  });

  it.each([
    '/v3.0/lists/%2F',
    '/v3.0/lists/%2e%2E/pinpoints',
    '/v3.0/lists/../pinpoints',
    '/v3.0/lists//7',
    '/v3.0/lists/./7',
    '/v3.0/lists/a%20b+c',
    '/v3.0/lists/%E2%82',
    '/v3.0/lists/7;x=1',
    '/v3.0/lists?',
    '/v3.0/lists?x=%zz&y=%00&&=%',
    '/v3.0/lists?next=http://127.0.0.1/..//',
    '/v3.0/lists/%3F%23',
  ])('a path arrives unchanged: %s', async (path) => {
    expect(await serviceOf('GET', path)).toBe('query');
    expect(await serviceOf('PUT', path)).toBe('lists');
  });

  it.each(['/v3.0/lists/%', '/v3.0/lists/%zz', '/v3.0/lists/1%00', '/media/%00.png', '/../x'])(
    'an invalid path is not found: %s',
    async (path) => {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const { status, text, headers } = await edge.send({ method, path });
        expect({ status, text }).toEqual({ status: 404, text: '{"detail":"Not found."}' });
        expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'private, no-cache' });
      }
      expect(edge.arrived()).toEqual([]);
    },
  );
});

describeWithNginx('The edge: without an auditor:', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge({ hasAuditor: false });
  });
  afterAll(() => edge.remove());

  it('the query gateways get the reads of the history', async () => {
    edge.arrived();
    for (const method of reading) await edge.send({ method, path: '/audit/v1/pinpoints/12/history' });
    await edge.send({ method: 'POST', path: '/audit/v1/changesets' });
    const services = edge.arrived().map(({ service }) => service.replace(replica, ''));
    expect(services.sort()).toEqual(['audit', 'query', 'query', 'query']);
  });
});
