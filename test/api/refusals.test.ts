import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openAuditor } from './history.ts';
import { aList, aPinpoint, unknownId } from './samples.ts';
import { bodyOf, type Session, tokenCall } from './session.ts';
import { describeWith, type Settings, type Target } from './target.ts';

type Refusal = {
  readonly time: string;
  readonly actor: { readonly kind: string; readonly id: string; readonly name: string | null };
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly [field: string]: unknown;
};
type Refusals = { readonly results: readonly Refusal[]; readonly more: number; readonly next: string | null };

const recordedWithinMs = 30_000;
const soon: Settings = { WAYMARK_REFUSALS_SECONDS: '1' };
const dayMs = 24 * 60 * 60_000;
const dayAfter = (days: number): string => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10);

const pageOf = async (me: Session, url = '/audit/v1/refusals'): Promise<Refusals> => bodyOf<Refusals>(await me.get(url), 200);

/** Returns all refusals of today and yesterday: the day may end during a test. */
const walk = async (me: Session, limit = 500): Promise<Omit<Refusals, 'next'>> => {
  const results: Refusal[] = [];
  let more = 0;
  for (const day of [dayAfter(-1), dayAfter(0)]) {
    let url: string | null = `/audit/v1/refusals?day=${day}&limit=${limit}`;
    while (url !== null) {
      const page = await pageOf(me, url);
      expect(page.results.length).toBeLessThanOrEqual(limit);
      results.push(...page.results);
      more += page.more;
      url = page.next;
    }
  }
  return { results, more };
};

/** Returns the refusals of an account once this number of them is recorded. */
const recorded = async (me: Session, count: number): Promise<readonly Refusal[]> => {
  for (const deadlineMs = performance.now() + recordedWithinMs; ; await sleep(100)) {
    const { results } = await walk(me);
    if (results.length >= count || performance.now() > deadlineMs) return results;
  }
};

const refuse = async (me: Session): Promise<void> => void bodyOf(await me.post('/lists', { name: '' }), 400);

/** An address in the loopback network, as it is shown. */
const loopback = expect.stringMatching(/^(127\.0\.0\.0\/24|::\/48)$/);

describeWith('Refusals:', soon, (waymark) => {
  it('have each refused write, oldest first, without values', async () => {
    const me = await openAuditor(waymark);
    const { id } = await me.create('/pinpoints', aPinpoint());
    await me.put(`/pinpoints/${id}`, { ...aPinpoint({ latitude: 91 }), name: '' }, { 'X-Request-Id': 'Rasa-12' });
    const [correlation, request] = [randomUUID(), randomUUID()];
    const headers = { 'Correlation-Id': correlation.toUpperCase(), 'X-Request-Id': request };
    await me.delete(`/lists/${unknownId}`, undefined, headers);
    await me.put(`/pinpoints/${id}`, aPinpoint(), { 'If-Match': '"other"' });
    await me.send('POST', '/lists', { body: '{}' });
    await me.post('/pinpoints/12', {});
    const refusals = await recorded(me, 5);
    const actor = { kind: 'application', id: me.application.client_id, name: 'test/api' };
    const common = { actor, changeset: null, error: null, fields: [], time: expect.stringMatching(/Z$/), address: loopback };
    const none = { request_id: expect.any(String), correlation_id: null };
    expect(refusals).toEqual([
      { ...common, ...none, method: 'PUT', path: `/v3.0/pinpoints/${id}`, status: 400, fields: ['name', 'latitude'] },
      { ...common, method: 'DELETE', path: `/v3.0/lists/${unknownId}`, status: 404, request_id: request, correlation_id: correlation },
      { ...common, ...none, method: 'PUT', path: `/v3.0/pinpoints/${id}`, status: 412 },
      { ...common, ...none, method: 'POST', path: '/v3.0/lists', status: 415 },
      { ...common, ...none, method: 'POST', path: '/v3.0/pinpoints/12', status: 405 },
    ]);
    expect(refusals[0]?.['request_id']).toMatch(/^hash:/);
    expect(refusals.map(({ time }) => time)).toEqual(refusals.map(({ time }) => time).toSorted());
  });

  it('have what an application may not do, and the changeset that it claimed', async () => {
    const me = await openAuditor(waymark);
    const { id: changeset } = bodyOf<{ id: string }>(await me.post('/audit/v1/changesets', { comment: 'Autumn' }), 201);
    const reader = await waymark.session(await waymark.application(me.application.account, ['read']));
    bodyOf(await reader.post('/lists', aList(), { 'Correlation-Id': changeset }), 403);
    bodyOf(await reader.post('/audit/v1/changesets', { comment: 'Winter' }), 403);
    expect(await recorded(me, 2)).toMatchObject([
      { actor: { id: reader.application.client_id }, path: '/v3.0/lists', status: 403, changeset: { id: changeset, comment: 'Autumn' } },
      { actor: { id: reader.application.client_id }, path: '/audit/v1/changesets', status: 403, changeset: null },
    ]);
  });

  it('have the writes with a token of a suspended application', async () => {
    const me = await openAuditor(waymark);
    const other = await waymark.session(await waymark.application(me.application.account));
    const { client_id } = other.application;
    await waymark.operator('POST', `/applications/${client_id}/suspend`);
    await sleep(1_100);
    bodyOf(await other.post('/lists', aList()), 403);
    await me.post('/lists', {});
    expect(await recorded(me, 2)).toMatchObject([{ actor: { id: client_id }, path: '/v3.0/lists', status: 403 }, { status: 400 }]);
  });

  it('have the failed sign-ins of the applications of the account', async () => {
    const me = await openAuditor(waymark);
    const other = await waymark.application(me.application.account);
    await waymark.send(tokenCall({ ...other, client_secret: 'a guess' }));
    await waymark.send(tokenCall(other, { scope: 'audit' }));
    await waymark.operator('POST', `/applications/${other.client_id}/suspend`);
    await sleep(1_100);
    await waymark.send(tokenCall(other));
    await waymark.send(tokenCall({ client_id: 'nobody', client_secret: 'a guess' }));
    const common = { actor: { kind: 'application', id: other.client_id, name: 'test/api' }, method: 'POST', path: '/v3.0/oauth2/token' };
    expect(await recorded(me, 3)).toEqual([
      expect.objectContaining({ ...common, status: 401, error: 'invalid_client', address: loopback }),
      expect.objectContaining({ ...common, status: 400, error: 'invalid_scope' }),
      expect.objectContaining({ ...common, status: 400, error: 'unauthorized_client' }),
    ]);
  });

  it('have nothing of reads, of accepted writes, and of other accounts', async () => {
    const [me, other] = [await openAuditor(waymark), await openAuditor(waymark)];
    await me.get(`/lists/${unknownId}`);
    await me.create('/lists', aList());
    await refuse(other);
    await refuse(me);
    await recorded(other, 1);
    expect(await recorded(me, 1)).toMatchObject([{ method: 'POST', path: '/v3.0/lists', status: 400, fields: ['name'] }]);
  });

  it('are read page by page, and each page continues where the one before it ended', async () => {
    const me = await openAuditor(waymark);
    for (let nth = 0; nth < 7; nth += 1) await refuse(me);
    const all = await recorded(me, 7);
    expect(all).toHaveLength(7);
    for (const limit of [1, 3, 7]) expect((await walk(me, limit)).results).toEqual(all);
  });

  it('are counted where a process does not keep them', async () => {
    const me = await openAuditor(waymark);
    for (let nth = 0; nth < 10; nth += 1) await Promise.all(Array.from({ length: 50 }, () => refuse(me)));
    let seen = await walk(me);
    const deadlineMs = performance.now() + recordedWithinMs;
    while (seen.results.length + seen.more < 500 && performance.now() < deadlineMs) {
      await sleep(200);
      seen = await walk(me);
    }
    expect(seen.results.length + seen.more).toBe(500);
    expect(seen.results.length).toBeGreaterThanOrEqual(100);
  });

  it('are those of a day: 400 for what is no day, none where there is none', async () => {
    const me = await openAuditor(waymark);
    for (const day of ['', 'today', '2026-02-30', '2026-6-1', '2026-06-01T00:00:00.000Z']) {
      expect(bodyOf(await me.get(`/audit/v1/refusals?day=${day}`), 400)).toEqual({ day: ['Enter a day like 2026-06-01.'] });
    }
    for (const day of ['1999-01-01', dayAfter(-100), dayAfter(2)]) {
      expect(await pageOf(me, `/audit/v1/refusals?day=${day}`)).toEqual({ results: [], more: 0, next: null });
    }
  });

  it('refuse a cursor of another account or day', async () => {
    const me = await openAuditor(waymark);
    for (let nth = 0; nth < 2; nth += 1) await refuse(me);
    await recorded(me, 2);
    const day = (await walk(me)).results[0]?.time.slice(0, 10);
    const { next } = await pageOf(me, `/audit/v1/refusals?day=${day}&limit=1`);
    bodyOf(await me.get(String(next)), 200);
    bodyOf(await (await openAuditor(waymark)).get(String(next)), 404);
    bodyOf(await me.get(String(next).replace(String(day), dayAfter(-3))), 404);
  });

  it('need the scope audit, and no cache keeps them', async () => {
    bodyOf(await (await waymark.account()).get('/audit/v1/refusals'), 403);
    const { headers } = await (await openAuditor(waymark)).get('/audit/v1/refusals');
    expect([headers['cache-control'], headers['etag']]).toEqual(['no-store', undefined]);
  });

  it('name an application as it is named today, and no longer once its name is erased', async () => {
    const me = await openAuditor(waymark);
    const { client_id, account } = me.application;
    await refuse(me);
    expect(await recorded(me, 1)).toMatchObject([{ actor: { id: client_id, name: 'test/api' } }]);
    bodyOf(await waymark.operator('POST', '/forget', { kind: 'application', id: client_id, account }), 200);
    expect(await recorded(me, 1)).toMatchObject([{ actor: { id: client_id, name: null } }]);
  });
});

describeWith('Refusals of a server with several threads:', { ...soon, WAYMARK_HTTP_THREADS: '2' }, (waymark: Target) => {
  it('are those of all threads together', async () => {
    const me = await openAuditor(waymark);
    for (let nth = 0; nth < 4; nth += 1) await Promise.all(Array.from({ length: 20 }, () => refuse(me)));
    expect((await recorded(me, 80)).length).toBe(80);
  });
});
