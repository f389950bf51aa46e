import { randomUUID } from 'node:crypto';
import { statusAndBody } from './client.ts';
import { aList } from './samples.ts';
import type { Session } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const path = '/audit/v1/changesets';

const withScopes = async (...scopes: readonly string[]): Promise<Session> => waymark.session(await waymark.application(undefined, scopes));
const editor = (): Promise<Session> => withScopes('audit', 'write');

const open = (me: Session, body: unknown, headers: Record<string, string> = {}) => me.post(`${waymark.url()}${path}`, body, headers);
const idOf = async (answer: ReturnType<typeof open>): Promise<unknown> => {
  const { status, body } = await answer;
  expect(status).toBe(201);
  return (body as { readonly id: unknown }).id;
};

const opened = { comment: 'Opening hours of the summer', by: 'Rasa, editor' };

describe('Changesets:', () => {
  it.each<readonly [what: string, body: object]>([
    ['a comment and a person', opened],
    ['a comment alone', { comment: 'x' }],
    ['null for the person', { comment: 'x', by: null }],
    ['an empty person', { comment: 'x', by: '' }],
    ['a field that is not known', { comment: 'x', id: 12 }],
  ])('may have %s: 201 with an id', async (_, body) => {
    const answer = await open(await editor(), body);
    expect(statusAndBody(answer)).toEqual({ status: 201, body: { id: expect.stringMatching(uuid) } });
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(answer.headers).not.toHaveProperty('etag');
  });

  it('have an id of their own each', async () => {
    const me = await editor();
    const ids = await Promise.all(Array.from({ length: 5 }, () => idOf(open(me, opened))));
    expect(new Set(ids).size).toBe(5);
  });

  it('have an id that is accepted as the Correlation-Id of writes', async () => {
    const me = await editor();
    const id = await idOf(open(me, opened));
    const answer = await me.post('/lists', aList(), { 'Correlation-Id': String(id) });
    expect(answer.status).toBe(201);
  });

  it.each([['audit'], ['write'], ['read'], ['read audit'], ['read write']])(
    'need the scopes audit and write: 403 with %s',
    async (scopes) => {
      const answer = await open(await withScopes(...scopes.split(' ')), opened);
      expect(statusAndBody(answer)).toEqual({ status: 403, body: { detail: 'You do not have permission to perform this action.' } });
    },
  );

  it('need both scopes in the token too', async () => {
    const { application } = await editor();
    expect((await open(await waymark.session(application, 'audit'), opened)).status).toBe(403);
    expect((await open(await waymark.session(application, 'audit write'), opened)).status).toBe(201);
  });

  it('need a token', async () => {
    const answer = await waymark.send({ method: 'POST', path, headers: { 'Content-Type': 'application/json' }, body: '{"comment":"x"}' });
    expect(answer.status).toBe(401);
  });

  const blank = 'This field may not be blank.';
  const tooLong = (most: number) => `Ensure this field has no more than ${most} characters.`;
  it.each<readonly [body: unknown, errors: object]>([
    [{}, { comment: ['This field is required.'] }],
    [{ by: 'x' }, { comment: ['This field is required.'] }],
    [{ comment: null }, { comment: ['This field may not be null.'] }],
    [{ comment: '' }, { comment: [blank] }],
    [{ comment: ' \n\t ' }, { comment: [blank] }],
    [
      { comment: 7, by: 7 },
      { comment: ['Not a valid string.'], by: ['Not a valid string.'] },
    ],
    [{ comment: 'a\u0000b' }, { comment: ['Null characters and unpaired surrogates are not allowed.'] }],
    [[], { non_field_errors: ['Invalid data. Expected an object, but got array.'] }],
  ])('are refused with every error at once: %j', async (body, errors) => {
    expect(statusAndBody(await open(await editor(), body))).toEqual({ status: 400, body: errors });
  });

  it('have texts of limited length, counted in characters without the blanks around them', async () => {
    const me = await editor();
    const longest = { comment: `  ${'😀'.repeat(1_000)}\n`, by: ` ${'ä'.repeat(255)} ` };
    expect((await open(me, longest)).status).toBe(201);
    const answer = await open(me, { comment: 'x'.repeat(1_001), by: 'x'.repeat(256) });
    expect(statusAndBody(answer)).toEqual({ status: 400, body: { comment: [tooLong(1_000)], by: [tooLong(255)] } });
  });

  it('must be sent as JSON', async () => {
    const me = await editor();
    const answer = await me.send('POST', `${waymark.url()}${path}`, { headers: { 'Content-Type': 'text/plain' }, body: '{"comment":"x"}' });
    expect(answer.status).toBe(415);
  });

  it('may be part of an operation: Correlation-Id is one UUID, otherwise 400', async () => {
    const me = await editor();
    expect((await open(me, opened, { 'Correlation-Id': randomUUID() })).status).toBe(201);
    const answer = await open(me, opened, { 'Correlation-Id': 'ticket-12' });
    expect(statusAndBody(answer)).toEqual({ status: 400, body: { detail: expect.stringContaining('Correlation-Id') } });
  });

  it.each(['PUT', 'DELETE', 'PATCH'])('cannot be changed: 405 for %s', async (method) => {
    const answer = await (await editor()).send(method, `${waymark.url()}${path}`, {});
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST, OPTIONS' } });
  });
});

describe('Changesets with an Idempotency-Key:', () => {
  it('the same key and body return the first id again, and another key another id', async () => {
    const me = await editor();
    const key = { 'Idempotency-Key': randomUUID() };
    const first = await open(me, opened, key);
    expect(first.status).toBe(201);
    for (let repeat = 0; repeat < 3; repeat += 1) expect(statusAndBody(await open(me, opened, key))).toEqual(statusAndBody(first));
    expect((await open(me, opened, { 'Idempotency-Key': randomUUID() })).body).not.toEqual(first.body);
  });

  it('another body: 422', async () => {
    const me = await editor();
    const key = { 'Idempotency-Key': randomUUID() };
    expect((await open(me, opened, key)).status).toBe(201);
    expect((await open(me, { comment: 'Another one' }, key)).status).toBe(422);
  });

  it('another application and another path are other requests', async () => {
    const [me, other] = await Promise.all([editor(), editor()]);
    const key = { 'Idempotency-Key': randomUUID() };
    const id = await idOf(open(me, opened, key));
    expect(await idOf(open(other, opened, key))).not.toBe(id);
    expect((await me.post('/lists', { name: 'x', ...opened }, key)).status).toBe(201);
  });

  it('a refused request claims no key', async () => {
    const me = await editor();
    const key = { 'Idempotency-Key': randomUUID() };
    expect((await open(me, { comment: '' }, key)).status).toBe(400);
    expect((await open(me, opened, key)).status).toBe(201);
  });

  it('concurrent requests open one changeset', async () => {
    const me = await editor();
    const key = { 'Idempotency-Key': randomUUID() };
    const answers = await Promise.all(Array.from({ length: 20 }, () => open(me, opened, key)));
    const ids = answers.filter(({ status }) => status === 201).map(({ body }) => JSON.stringify(body));
    expect(new Set(ids).size).toBe(1);
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
  });
});
