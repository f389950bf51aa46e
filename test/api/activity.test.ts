import { randomUUID } from 'node:crypto';
import { type Entry, historyOf, openAuditor } from './history.ts';
import { aList, aPinpoint, members } from './samples.ts';
import { bodyOf, type Session } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();
const auditor = () => openAuditor(waymark);

type Activity = { readonly results: readonly (Entry & { readonly object: { kind: string; id: number | string } })[]; next: string | null };

/** Returns all entries that a query finds, newest first. */
const activity = async (me: Session, query = '', limit = 3): Promise<Activity['results']> => {
  const results: Activity['results'][number][] = [];
  for (let path: string | null = `/audit/v1/activity?limit=${limit}${query === '' ? '' : `&${query}`}`; path !== null; ) {
    const page: Activity = bodyOf<Activity>(await me.get(path), 200);
    if (page.next !== null) expect(page.results.length).toBeGreaterThan(0);
    results.push(...page.results);
    path = page.next;
  }
  return results;
};

const namesOf = (entries: Activity['results']): readonly string[] =>
  entries.map(({ object, action }) => `${object.kind} ${object.id} ${action}`);

/** Makes some changes, and returns what the activity must say of them, newest first. */
const makeChanges = async (me: Session) => {
  const pinpoint = await me.create('/pinpoints', aPinpoint());
  const list = await me.create('/lists', aList());
  bodyOf(await me.post(`/lists/${list.id}/pinpoints`, members(pinpoint.id)), 200);
  bodyOf(await me.put(`/pinpoints/${pinpoint.id}`, aPinpoint({ name: 'Renamed' })), 200);
  bodyOf(await me.put(`/pinpoints/${pinpoint.id}`, aPinpoint({ name: 'Renamed', latitude: 54.19 })), 200);
  expect((await me.delete(`/lists/${list.id}`)).status).toBe(204);
  const [p, l] = [`pinpoints ${pinpoint.id}`, `lists ${list.id}`];
  return {
    pinpoint,
    list,
    expected: [`${l} deleted`, `${p} edited`, `${p} edited`, `${l} members_added`, `${l} created`, `${p} created`],
  };
};

const ofContent = (names: readonly string[]): readonly string[] => names.filter((name) => !/^(applications|accounts) /.test(name));

describe('the activity of an account', () => {
  it('has what happened, newest first, page by page, and nothing of other accounts', async () => {
    const [me, other] = [await auditor(), await auditor()];
    await other.create('/lists', aList());
    const { expected } = await makeChanges(me);
    const names = namesOf(await activity(me));
    expect(ofContent(names)).toEqual(expected);
    expect(names.slice(expected.length).toSorted()).toEqual([
      expect.stringMatching(/^accounts .* created$/),
      `applications ${me.application.client_id} created`,
    ]);
  });

  it('does not wait for all that another account asks at the same time', async () => {
    const [many, one] = [await auditor(), await auditor()];
    const description = 'x'.repeat(50_000);
    await Promise.all(Array.from({ length: 40 }, () => many.create('/pinpoints', aPinpoint({ description }))));
    const order: string[] = [];
    const asked = async (me: Session, query: string, name: string): Promise<void> => {
      bodyOf(await me.get(`/audit/v1/activity?${query}`), 200);
      order.push(name);
    };
    await asked(many, 'limit=500', 'first');
    const answers = Array.from({ length: 12 }, () => asked(many, 'limit=500', 'many'));
    await Promise.all([...answers, asked(one, 'limit=1', 'one')]);
    expect(order.indexOf('one')).toBeLessThan(8);
  });

  it('can be filtered by what was changed, by whom, how, and when', async () => {
    const me = await auditor();
    const second = await waymark.session(await waymark.application(me.application.account));
    const { pinpoint, list, expected } = await makeChanges(me);
    const theirs = await second.create('/lists', aList());
    const found = async (query: string) => namesOf(await activity(me, query));
    expect(await found('resource=pinpoints')).toEqual(expected.filter((name) => name.startsWith('pinpoints')));
    expect(await found(`resource=lists/${list.id}`)).toEqual(expected.filter((name) => name.startsWith('lists')));
    expect(await found(`application=${second.application.client_id}`)).toEqual([`lists ${theirs.id} created`]);
    expect(await found('action=edited&resource=pinpoints')).toHaveLength(2);
    expect(await found(`field=latitude&resource=pinpoints/${pinpoint.id}`)).toEqual([
      `pinpoints ${pinpoint.id} edited`,
      `pinpoints ${pinpoint.id} created`,
    ]);
    expect(await found('field=latitude&action=edited')).toHaveLength(1);
    const changes = await historyOf(me, 'pinpoints', pinpoint.id);
    const [edit, last] = [1, 2].map((revision) => changes.find((one) => one.revision === revision));
    expect(await found(`from=${last?.time}&resource=pinpoints`)).toContain(`pinpoints ${pinpoint.id} edited`);
    expect(await found(`to=${edit?.time}`)).not.toContain(`lists ${list.id} deleted`);
    expect(await found('from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z')).toEqual([]);
  });

  it('can be filtered by distance: a degree of latitude is 111 km', async () => {
    const me = await auditor();
    await makeChanges(me);
    expect(await activity(me, 'moved=1100')).toHaveLength(1);
    expect(await activity(me, 'moved=1200')).toHaveLength(0);
  });

  it('can be filtered by correlation, changeset and request', async () => {
    const me = await auditor();
    const correlation = randomUUID();
    const one = bodyOf<{ id: number }>(await me.post('/lists', aList(), { 'Correlation-Id': correlation }), 201);
    const two = bodyOf<{ id: number }>(await me.post('/lists', aList(), { 'Correlation-Id': correlation.toUpperCase() }), 201);
    const alone = bodyOf<{ id: number }>(await me.post('/lists', aList(), { 'X-Request-Id': 'ticket-4711' }), 201);
    const found = async (query: string) => namesOf(await activity(me, query, 1));
    expect(await found(`correlation_id=${correlation}`)).toEqual([`lists ${two.id} created`, `lists ${one.id} created`]);
    expect(await found(`correlation_id=${correlation.toUpperCase()}`)).toHaveLength(2);
    expect(await found(`correlation_id=${randomUUID()}`)).toEqual([]);
    expect(await found('request_id=ticket-4711')).toEqual([`lists ${alone.id} created`]);
    const [own] = await historyOf(me, 'lists', alone.id);
    expect(own?.correlation_id).toBe(own?.id);
    expect(await found(`correlation_id=${own?.id}`)).toEqual([`lists ${alone.id} created`]);

    const changeset = bodyOf<{ id: string }>(await me.post('/audit/v1/changesets', { comment: 'Summer hours', by: 'Editor 7' }), 201);
    const edited = bodyOf<{ id: number }>(await me.post('/lists', aList(), { 'Correlation-Id': changeset.id }), 201);
    const entries = await activity(me, `changeset=${changeset.id}`);
    expect(namesOf(entries)).toEqual([`lists ${edited.id} created`, `changesets ${changeset.id} created`]);
    expect(await found(`changeset=${changeset.id}&correlation_id=${changeset.id.toUpperCase()}`)).toEqual(namesOf(entries));
    expect(await found(`changeset=${changeset.id}&correlation_id=${correlation}`)).toEqual([]);
    expect(entries[0]).toMatchObject({ changeset: { id: changeset.id, comment: 'Summer hours', by: 'Editor 7' } });
  });

  it('names all filters that it does not understand', async () => {
    const me = await auditor();
    const query = 'resource=things&action=x&field=y&from=yesterday&moved=far&changeset=1';
    expect(Object.keys(bodyOf<object>(await me.get(`/audit/v1/activity?${query}`), 400)).toSorted()).toEqual([
      'action',
      'changeset',
      'field',
      'from',
      'moved',
      'resource',
    ]);
    expect(bodyOf<object>(await me.get('/audit/v1/activity?resource=pinpoints/1/2'), 400)).toHaveProperty('resource');
    // No such day, and no such hour.
    for (const time of ['2026-02-30T00:00:00.000Z', '2026-02-28T24:00:00Z']) {
      expect([time, (await me.get(`/audit/v1/activity?to=${time}`)).status]).toEqual([time, 400]);
    }
    expect((await me.get('/audit/v1/activity?cursor=x')).status).toBe(404);
  });
});
