import { statusAndBody } from './client.ts';
import { aList } from './samples.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

describe('405:', () => {
  const paths: readonly [path: string, allowed: string[]][] = [
    ['/lists', ['GET', 'POST']],
    ['/lists/:id', ['DELETE', 'GET', 'PUT']],
    ['/lists/:id/pinpoints', ['DELETE', 'POST']],
    ['/pinpoints', ['GET', 'POST']],
    ['/pinpoints/:id', ['DELETE', 'GET', 'PUT']],
    ['/categories', ['GET', 'POST']],
    ['/categories/:id', ['GET', 'PUT']],
    ['/events', ['GET', 'POST']],
    ['/events/:id', ['DELETE', 'GET', 'PUT']],
    ['/oauth2/token', ['POST']],
    ['/oauth2/revoke', ['POST']],
    ['/oauth2/introspect', ['POST']],
  ];
  const cases = paths.flatMap(([path, allowed]) =>
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
      .filter((method) => !allowed.includes(method))
      .map((method) => [method, path, allowed] as const),
  );

  it.each(cases)('%s %s is not allowed, and Allow lists the allowed methods: %j', async (method, path, allowed) => {
    const me = await waymark.account();
    const answer = await me.send(method, path.replace(':id', '1'));
    expect(statusAndBody(answer)).toEqual({ status: 405, body: { detail: `Method "${method}" not allowed.` } });
    const named = (answer.headers.allow ?? '').split(', ').filter((name) => name !== 'HEAD' && name !== 'OPTIONS');
    expect(named.sort()).toEqual(allowed);
  });
});

describe('413 / 415:', () => {
  it.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/json; charset=iso-8859-1'],
    ['application/json; charset=utf-16'],
    ['application/merge-patch+json'],
    ['application/jsonp'],
    ['text/json'],
    ['json'],
    [''],
    [undefined],
  ])('Content-Type %j is not supported', async (type) => {
    const me = await waymark.account();
    const headers = type === undefined ? {} : { 'Content-Type': type };
    const answer = await me.send('POST', '/lists', { headers, body: JSON.stringify(aList()) });
    expect(statusAndBody(answer)).toEqual({ status: 415, body: { detail: expect.any(String) } });
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'APPLICATION/JSON',
    'application/json; charset="utf-8"',
  ])('Content-Type %s is supported', async (type) => {
    const me = await waymark.account();
    const answer = await me.send('POST', '/lists', { headers: { 'Content-Type': type }, body: JSON.stringify(aList()) });
    expect(answer.status).toBe(201);
  });

  it('a body of many megabytes is too large', async () => {
    const me = await waymark.account();
    const answer = await me.post('/lists', aList({ x: 'y'.repeat(20 * 1024 * 1024) }));
    expect(statusAndBody(answer)).toEqual({ status: 413, body: { detail: expect.any(String) } });
  });
});
