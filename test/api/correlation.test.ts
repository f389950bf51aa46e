import { randomUUID } from 'node:crypto';
import { statusAndBody } from './client.ts';
import { aList, make, members, unknownId } from './samples.ts';
import type { Session } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const uuid = '0190a1c2-7b1e-7c3d-8a44-2f1e5d6c7b8a';
const correlated = (value: string) => ({ 'Correlation-Id': value });

type Write = readonly [what: string, send: (me: Session, headers: Record<string, string>, id: number) => ReturnType<Session['post']>];

const writes: readonly Write[] = [
  ['POST /lists', (me, headers) => me.post('/lists', aList(), headers)],
  ['PUT /lists/:id', (me, headers, id) => me.put(`/lists/${id}`, aList({ name: 'Renamed' }), headers)],
  ['POST /lists/:id/pinpoints', (me, headers, id) => me.post(`/lists/${id}/pinpoints`, members(id), headers)],
  ['DELETE /lists/:id/pinpoints', (me, headers, id) => me.delete(`/lists/${id}/pinpoints`, members(id), headers)],
  ['DELETE /lists/:id', (me, headers, id) => me.delete(`/lists/${id}`, undefined, headers)],
];

describe('Correlation-Id:', () => {
  it.each(writes)('may be any UUID: %s', async (_, send) => {
    const me = await waymark.account();
    for (const given of [uuid, uuid.toUpperCase(), randomUUID(), '00000000-0000-0000-0000-000000000000']) {
      const { id } = await make(me, 'lists');
      expect((await send(me, correlated(given), id)).status).toBeLessThan(300);
    }
  });

  it.each(writes)('must be one UUID, otherwise 400, and nothing changes: %s', async (_, send) => {
    const me = await waymark.account();
    const { id } = await make(me, 'lists');
    const before = await me.page('/lists');
    for (const given of ['', 'ticket-12', `${uuid}0`, `{${uuid}}`, uuid.replaceAll('-', ''), `${uuid}, ${uuid}`]) {
      const answer = await send(me, correlated(given), id);
      expect(statusAndBody(answer)).toEqual({ status: 400, body: { detail: expect.stringContaining('Correlation-Id') } });
    }
    expect(await me.page('/lists')).toEqual(before);
  });

  it('must not be repeated', async () => {
    const me = await waymark.account();
    const body = JSON.stringify(aList());
    const received = await waymark.sendBytes(
      [
        'POST /v3.0/lists HTTP/1.1',
        `Host: ${new URL(waymark.url()).host}`,
        'Connection: close',
        `Authorization: Bearer ${me.token}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        `Correlation-Id: ${uuid}`,
        `Correlation-Id: ${uuid}`,
        '',
        body,
      ].join('\r\n'),
    );
    expect(received).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('is ignored by reads and by the token endpoint', async () => {
    const me = await waymark.account();
    expect((await me.get('/lists', correlated('x'))).status).toBe(200);
    const form = { 'Content-Type': 'application/x-www-form-urlencoded', ...correlated('x') };
    const answer = await waymark.send({ method: 'POST', path: '/v3.0/oauth2/token', headers: form, body: 'grant_type=none' });
    expect(answer.body).not.toHaveProperty('detail');
  });

  it('is checked after the object and the type of the body', async () => {
    const me = await waymark.account();
    expect((await me.put(`/lists/${unknownId}`, aList(), correlated('x'))).status).toBe(404);
    expect((await me.delete(`/lists/${unknownId}`, undefined, correlated('x'))).status).toBe(404);
    const plain = { 'Content-Type': 'text/plain', ...correlated('x') };
    expect((await me.send('POST', '/lists', { headers: plain, body: '{' })).status).toBe(415);
  });

  it('may differ in a repeated request with the same Idempotency-Key', async () => {
    const me = await waymark.account();
    const key = { 'Idempotency-Key': randomUUID() };
    const first = await me.post('/lists', aList(), { ...key, ...correlated(uuid) });
    for (const headers of [correlated(randomUUID()), correlated(uuid), {}]) {
      expect(statusAndBody(await me.post('/lists', aList(), { ...key, ...headers }))).toEqual(statusAndBody(first));
    }
  });
});
