import { type Answer, statusAndBody } from './client.ts';
import { make, unknownId } from './samples.ts';
import { type Session, tokenCall } from './session.ts';
import { useTarget } from './target.ts';

// Each request has two faults that are neighbours in the contract's order. The response reports the first one.

const waymark = useTarget();

const json = { 'Content-Type': 'application/json' };
const plain = { 'Content-Type': 'text/plain' };
const tooLarge = JSON.stringify({ name: 'x'.repeat(20 * 1024 * 1024) });

const told = (answer: Answer, status: number): void => {
  expect(answer.status).toBe(status);
  if (status === 404) expect(statusAndBody(answer).body).toEqual({ detail: 'Not found.' });
};

const reader = async (me: Session): Promise<Session> => waymark.session(me.application, 'read');

describe('Order of checks:', () => {
  it('401 before an unknown path', async () => {
    told(await waymark.send({ method: 'GET', path: '/v3.0/nothing' }), 401);
  });

  it('401 before a method that is not allowed', async () => {
    told(await waymark.send({ method: 'PATCH', path: '/v3.0/lists' }), 401);
  });

  it('401 before an unknown object, an unsupported type, a bad body', async () => {
    told(await waymark.send({ method: 'PUT', path: `/v3.0/lists/${unknownId}`, headers: plain, body: '{' }), 401);
  });

  it('an unknown path before a method that nothing allows', async () => {
    const me = await waymark.account();
    told(await me.send('PATCH', '/nothing'), 404);
  });

  it('a method that is not allowed before a missing scope', async () => {
    const me = await reader(await waymark.account());
    told(await me.send('PATCH', '/lists'), 405);
    told(await me.send('DELETE', '/categories/1'), 405);
  });

  it('a method that is not allowed before an unknown object', async () => {
    const me = await waymark.account();
    told(await me.send('PATCH', `/lists/${unknownId}`), 405);
    told(await me.send('DELETE', '/categories/abc'), 405);
  });

  it('a missing scope before an unknown object', async () => {
    const me = await reader(await waymark.account());
    told(await me.delete(`/lists/${unknownId}`), 403);
    told(await me.delete('/lists/abc'), 403);
  });

  it('a missing scope before an unsupported type and a bad body', async () => {
    const me = await reader(await waymark.account());
    told(await me.send('POST', '/lists', { headers: plain, body: '{' }), 403);
    told(await me.send('POST', '/lists', { headers: json, body: '{' }), 403);
  });

  it('an unknown object before an unsupported type, a body too large, a bad body', async () => {
    const me = await waymark.account();
    told(await me.send('PUT', `/lists/${unknownId}`, { headers: plain, body: 'x' }), 404);
    told(await me.send('PUT', `/lists/${unknownId}`, { headers: json, body: '{' }), 404);
    told(await me.send('PUT', `/lists/${unknownId}`, { headers: json, body: tooLarge }), 404);
    told(await me.send('POST', `/lists/${unknownId}/pinpoints`, { headers: plain, body: 'x' }), 404);
    told(await me.send('POST', `/lists/${unknownId}/pinpoints`, { headers: json, body: '{}' }), 404);
  });

  it.each(['lists', 'pinpoints', 'categories', 'events'])("another account's object before anything about the body: %s", async (name) => {
    const [me, other] = [await waymark.account(), await waymark.account()];
    const { id } = await make(other, name);
    told(await me.send('PUT', `/${name}/${id}`, { headers: plain, body: 'x' }), 403);
    told(await me.send('PUT', `/${name}/${id}`, { headers: json, body: '{' }), 403);
  });

  it('an unsupported type before a bad body', async () => {
    const me = await waymark.account();
    told(await me.send('POST', '/lists', { headers: plain, body: '{' }), 415);
  });

  it('a body too large before a bad one', async () => {
    const me = await waymark.account();
    told(await me.send('POST', '/lists', { headers: json, body: `{${tooLarge}` }), 413);
  });

  it('a bad body before a stale If-Match', async () => {
    const me = await waymark.account();
    const { id } = await make(me, 'lists');
    told(await me.put(`/lists/${id}`, {}, { 'If-Match': '"stale"' }), 400);
    told(await me.put(`/lists/${id}`, { name: 'Renamed' }, { 'If-Match': '"stale"' }), 412);
  });

  it('an unknown object before a stale If-Match', async () => {
    const me = await waymark.account();
    told(await me.delete(`/lists/${unknownId}`, undefined, { 'If-Match': '"stale"' }), 404);
  });

  it('the token endpoint needs no token', async () => {
    told(await waymark.send(tokenCall(await waymark.application())), 200);
  });
});
