import type { Answer } from './client.ts';
import { endpointStatuses } from './documents.ts';
import { createResponseCheck, type OpenApi, type ResponseCheck } from './openapi.ts';
import { bodyOf } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const fetchDocument = async (): Promise<OpenApi> => bodyOf<OpenApi>(await waymark.send({ method: 'GET', path: '/openapi.json' }), 200);

const answer = (status: number, body: unknown): Answer => {
  const text = JSON.stringify(body);
  return { status, headers: { 'content-type': 'application/json' }, bytes: Buffer.from(text), text, body };
};

const list = { id: 1, name: 'Walks', description: '' };

describe('OpenAPI:', () => {
  it('is version 3.1, and needs no token', async () => {
    const document = await fetchDocument();
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
  });

  it.each(endpointStatuses().map(({ method, path, status }) => [method, path, status] as const))(
    'lists what the specification lists: %s %s %s',
    async (method, path, status) => {
      const template = path.replace(':id', '{id}');
      const { responses } = (await fetchDocument()).paths[template]?.[method.toLowerCase()] ?? { responses: {} };
      expect(Object.keys(responses)).toContain(String(status));
    },
  );

  it('describes the body of every POST and PUT', async () => {
    const { paths } = await fetchDocument();
    const bare = Object.entries(paths).flatMap(([path, methods]) =>
      ['post', 'put']
        .filter((method) => methods[method] !== undefined && !('requestBody' in methods[method]))
        .map((method) => `${method} ${path}`),
    );
    expect(bare).toEqual([]);
  });

  it.each<[what: string, call: (hold: ResponseCheck) => void, fault: RegExp]>([
    [
      'a field too many',
      (hold) => hold({ method: 'GET', path: '/v3.0/lists/1' }, answer(200, { ...list, colour: 'red' })),
      /says otherwise/,
    ],
    ['a field too few', (hold) => hold({ method: 'GET', path: '/v3.0/lists/1' }, answer(200, { id: 1, name: 'x' })), /says otherwise/],
    ['another type', (hold) => hold({ method: 'GET', path: '/v3.0/lists/1' }, answer(200, { ...list, id: '1' })), /says otherwise/],
    [
      'a null where there is none',
      (hold) => hold({ method: 'GET', path: '/v3.0/lists/1' }, answer(200, { ...list, name: null })),
      /says otherwise/,
    ],
    ['a status that is not listed', (hold) => hold({ method: 'GET', path: '/v3.0/lists/1' }, answer(418, {})), /does not list status 418/],
    ['a path that is not listed', (hold) => hold({ method: 'GET', path: '/v3.0/secrets' }, answer(200, {})), /has no such path/],
    ['a body where there is none', (hold) => hold({ method: 'DELETE', path: '/v3.0/lists/1' }, answer(204, {})), /no body/],
  ])('the check of every response in these tests detects %s', async (_, call, fault) => {
    const hold = createResponseCheck(await fetchDocument());
    expect(() => hold({ method: 'GET', path: '/v3.0/lists/1' }, answer(200, list))).not.toThrow();
    expect(() => call(hold)).toThrow(fault);
  });
});
