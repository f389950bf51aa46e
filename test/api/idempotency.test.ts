import { randomUUID } from 'node:crypto';
import { statusAndBody, statusOfBytes } from './client.ts';
import { aFile } from './pictures.ts';
import { aList, aPinpoint, make, members, resourceNamed, resources, unknownId } from './samples.ts';
import { formCall, idsOf, tokenCall } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const names = resources.map(({ name }) => name);
const aKey = (): { 'Idempotency-Key': string } => ({ 'Idempotency-Key': randomUUID() });

describe('Idempotency-Key:', () => {
  it.each(names)('the same key and body return the first response again: %s', async (name) => {
    const me = await waymark.account();
    const [key, body] = [aKey(), await resourceNamed(name).body(me)];
    const first = await me.post(`/${name}`, body, key);
    expect(first.status).toBe(201);
    for (let repeats = 0; repeats < 3; repeats += 1) {
      expect(statusAndBody(await me.post(`/${name}`, body, key))).toEqual(statusAndBody(first));
    }
    expect((await me.page(`/${name}`)).results).toEqual([first.body]);
  });

  it.each(['lists', 'pinpoints', 'events'])(
    'the first response is returned even after the object was changed or deleted: %s',
    async (name) => {
      const me = await waymark.account();
      const [key, body] = [aKey(), await resourceNamed(name).body(me)];
      const first = await me.post(`/${name}`, body, key);
      const path = `/${name}/${(first.body as { id: number }).id}`;
      await me.put(path, { ...body, name: 'Renamed' });
      expect(statusAndBody(await me.post(`/${name}`, body, key))).toEqual(statusAndBody(first));
      expect(await me.read(path)).toMatchObject({ name: 'Renamed' });
      await me.delete(path);
      expect(statusAndBody(await me.post(`/${name}`, body, key))).toEqual(statusAndBody(first));
      expect((await me.get(path)).status).toBe(404);
    },
  );

  it('a repeated upload is stored once', async () => {
    const me = await waymark.account();
    const [key, body] = [aKey(), aPinpoint({ media_file: await aFile() })];
    const first = await me.post('/pinpoints', body, key);
    expect(statusAndBody(await me.post('/pinpoints', body, key))).toEqual(statusAndBody(first));
  });

  it('a repeated membership request is not applied again', async () => {
    const me = await waymark.account();
    const [list, pinpoint] = [(await make(me, 'lists')).id, (await make(me, 'pinpoints')).id];
    const [key, path, body] = [aKey(), `/lists/${list}/pinpoints`, [...members(pinpoint, 999_999_999_999), 'x']];
    const first = await me.post(path, body, key);
    expect(first.body).toMatchObject({ total: 1, errors: [{ code: 'not_found' }, { code: 'invalid' }] });
    await me.delete(path, members(pinpoint));
    expect(statusAndBody(await me.post(path, body, key))).toEqual(statusAndBody(first));
    expect(idsOf(await me.page(`/pinpoints?list=${list}`))).toEqual([]);
  });

  it('a membership request that changed nothing returns its first response again', async () => {
    const me = await waymark.account();
    const [list, pinpoint] = [(await make(me, 'lists')).id, (await make(me, 'pinpoints')).id];
    const [key, path] = [aKey(), `/lists/${list}/pinpoints`];
    await me.post(path, members(pinpoint));
    const first = await me.post(path, members(pinpoint), key);
    await me.delete(path, members(pinpoint));
    expect(statusAndBody(await me.post(path, members(pinpoint), key))).toEqual(statusAndBody(first));
    expect(idsOf(await me.page(`/pinpoints?list=${list}`))).toEqual([]);
  });

  it('another body: 422, and nothing changes', async () => {
    const me = await waymark.account();
    const key = aKey();
    const first = await me.post('/lists', aList(), key);
    const answer = await me.post('/lists', aList({ name: 'Other' }), key);
    expect(statusAndBody(answer)).toEqual({ status: 422, body: { detail: expect.any(String) } });
    expect((await me.page('/lists')).results).toEqual([first.body]);
  });

  it('another path is another request', async () => {
    const me = await waymark.account();
    const [key, body] = [aKey(), aPinpoint()];
    expect((await me.post('/pinpoints', body, key)).status).toBe(201);
    expect((await me.post('/lists', body, key)).status).toBe(201);
  });

  it('a membership request for another list is another request', async () => {
    const me = await waymark.account();
    const [one, other, pinpoint] = [(await make(me, 'lists')).id, (await make(me, 'lists')).id, (await make(me, 'pinpoints')).id];
    const key = aKey();
    for (const list of [one, other]) await me.post(`/lists/${list}/pinpoints`, members(pinpoint), key);
    for (const list of [one, other]) expect(idsOf(await me.page(`/pinpoints?list=${list}`))).toEqual([pinpoint]);
  });

  it('another application is another client, even in the same account', async () => {
    const me = await waymark.account();
    const colleague = await waymark.session(await waymark.application(me.application.account));
    const key = aKey();
    const [mine, theirs] = [await me.post('/lists', aList(), key), await colleague.post('/lists', aList(), key)];
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body).not.toEqual(mine.body);
  });

  it('another token of the same application is the same client', async () => {
    const me = await waymark.account();
    const key = aKey();
    const first = await me.post('/lists', aList(), key);
    const renewed = await waymark.session(me.application);
    expect((await renewed.post('/lists', aList(), key)).body).toEqual(first.body);
  });

  it('a path with a trailing slash is the same path', async () => {
    const me = await waymark.account();
    const key = aKey();
    const first = await me.post('/lists', aList(), key);
    expect((await me.post('/lists/', aList(), key)).body).toEqual(first.body);
  });

  it.each([
    ['written absolutely', (path: string) => `http://other.example${path}`],
    ['with a fragment', (path: string) => `${path}#part`],
    ['with a query', (path: string) => `${path}?a=b`],
    ['with an encoded id', (path: string) => path.replace(/\d(?=\/pinpoints)/, (digit) => `%3${digit}`)],
    ['written absolutely, with all of them', (path: string) => `http://x.example:81${path.replace(/\d(?=\/p)/, (d) => `%3${d}`)}/?a=b#c`],
  ])('a path %s is the same path', async (_, written) => {
    const me = await waymark.account();
    const [list, pinpoint] = [(await make(me, 'lists')).id, (await make(me, 'pinpoints')).id];
    const [key, body] = [randomUUID(), JSON.stringify(members(pinpoint))];
    const path = `/v3.0/lists/${list}/pinpoints`;
    const send = (target: string): Promise<string> =>
      waymark.sendBytes(
        [
          `POST ${target} HTTP/1.1`,
          `Host: ${new URL(waymark.url()).host}`,
          `Authorization: Bearer ${me.token}`,
          `Idempotency-Key: ${key}`,
          'Content-Type: application/json',
          `Content-Length: ${body.length}`,
          'Connection: close',
          '',
          body,
        ].join('\r\n'),
      );
    expect(statusOfBytes(await send(path))).toBe(200);
    await me.delete(`/lists/${list}/pinpoints`, members(pinpoint));
    expect(statusOfBytes(await send(written(path)))).toBe(200);
    expect(idsOf(await me.page(`/pinpoints?list=${list}`))).toEqual([]);
  });

  it('a membership request with a megabyte of invalid ids returns its first response again', async () => {
    const me = await waymark.account();
    const [list, pinpoint] = [(await make(me, 'lists')).id, (await make(me, 'pinpoints')).id];
    const [key, path] = [aKey(), `/lists/${list}/pinpoints`];
    await me.post(path, members(pinpoint));
    const body = [...Array.from({ length: 998 }, (_, nth) => ({ id: `${nth} ${'x'.repeat(1_100)}` })), ...members(pinpoint, unknownId)];
    const first = await me.post(path, body, key);
    expect([first.status, first.body]).toEqual([200, expect.objectContaining({ total: 1 })]);
    expect((first.body as { errors: unknown[] }).errors).toHaveLength(999);
    await me.delete(path, members(pinpoint));
    expect(statusAndBody(await me.post(path, body, key))).toEqual(statusAndBody(first));
    expect(idsOf(await me.page(`/pinpoints?list=${list}`))).toEqual([]);
  });

  it('a refused request claims no key', async () => {
    const me = await waymark.account();
    const key = aKey();
    expect((await me.post('/lists', aList({ name: '' }), key)).status).toBe(400);
    expect((await me.post('/lists', aList(), key)).status).toBe(201);
  });

  it.each([
    ['empty', ''],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a space', 'a b'],
    ['with a tab', 'a\tb'],
    ['beyond ASCII', 'cl\u00e9'],
    ['with a byte beyond ASCII', '\u00ff'],
  ])('a key %s: 400', async (_, key) => {
    const me = await waymark.account();
    const answer = await me.post('/lists', aList(), { 'Idempotency-Key': key });
    expect(statusAndBody(answer)).toEqual({ status: 400, body: expect.any(Object) });
    expect((await me.page('/lists')).results).toEqual([]);
  });

  it.each([
    ['of one character', '!'],
    ['of 255 characters', 'k'.repeat(255)],
    ['of odd characters', '"~;,=\\{}$ne/..\''],
    ['that is a word of the language', '__proto__'],
  ])('a key %s is accepted', async (_, key) => {
    const me = await waymark.account();
    const first = await me.post('/lists', aList(), { 'Idempotency-Key': key });
    expect(first.status).toBe(201);
    expect((await me.post('/lists', aList(), { 'Idempotency-Key': key })).body).toEqual(first.body);
  });

  it('keys are case-sensitive', async () => {
    const me = await waymark.account();
    await me.post('/lists', aList(), { 'Idempotency-Key': 'key' });
    await me.post('/lists', aList(), { 'Idempotency-Key': 'KEY' });
    expect((await me.page('/lists')).results).toHaveLength(2);
  });

  it('twenty concurrent requests create one object', async () => {
    const me = await waymark.account();
    const key = aKey();
    const answers = await Promise.all(Array.from({ length: 20 }, () => me.post('/lists', aList(), key)));
    const made = answers.filter(({ status }) => status === 201).map(({ text }) => text);
    expect(new Set(made).size).toBe(1);
    expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
    expect((await me.page('/lists')).results).toHaveLength(1);
  });
});

describe('409 / 412 / 422:', () => {
  it('409 with Retry-After while the first request with this key is still running', async () => {
    const me = await waymark.account();
    const body = aPinpoint({ media_file: await aFile('image/avif'), description: '<p>x</p>'.repeat(10_000) });
    const key = aKey();
    const answers = await Promise.all(Array.from({ length: 20 }, () => me.post('/pinpoints', body, key)));
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(answer.body).toEqual({ detail: expect.any(String) });
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    expect((await me.page('/pinpoints')).results).toHaveLength(1);
  });
});

describe('Idempotency-Key at the oauth2 endpoints:', () => {
  it.each(['the-same-key', '', 'not allowed elsewhere'])('is ignored: %j', async (key) => {
    const application = await waymark.application();
    const call = tokenCall(application);
    const keyed = { ...call, headers: { ...call.headers, 'Idempotency-Key': key } };
    const [first, second] = [await waymark.send(keyed), await waymark.send(keyed)];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body).not.toEqual(first.body);
    const revoke = formCall('revoke', { token: 'x' }, application);
    expect((await waymark.send({ ...revoke, headers: { ...revoke.headers, 'Idempotency-Key': key } })).status).toBe(200);
  });
});
