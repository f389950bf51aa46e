import { randomUUID } from 'node:crypto';
import { actionsOf, type HistoryPage, historyOf, openAuditor } from './history.ts';
import { aList, anEvent, aPinpoint, members, unknownId } from './samples.ts';
import { bodyOf, type Session } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();
const auditor = () => openAuditor(waymark);

const forget = async (me: Session, kind: string, id: number): Promise<void> => {
  bodyOf(await waymark.operator('POST', '/forget', { kind, id, account: me.application.account }), 200);
};

describe('the history of an object', () => {
  it('has every change, newest first, with who made it, and the old and the new values', async () => {
    const me = await auditor();
    const { id } = await me.create('/pinpoints', aPinpoint({ tags: ['sea'] }));
    const correlation = randomUUID();
    bodyOf(await me.put(`/pinpoints/${id}`, aPinpoint({ name: 'New lighthouse' }), { 'Correlation-Id': correlation }), 200);
    expect((await me.delete(`/pinpoints/${id}`)).status).toBe(204);
    const entries = await historyOf(me, 'pinpoints', id);
    expect(entries.map(({ revision, action }) => [revision, action])).toEqual([
      [2, 'deleted'],
      [1, 'edited'],
      [0, 'created'],
    ]);
    const [deleted, edited, created] = entries;
    expect(edited).toMatchObject({
      correlation_id: correlation,
      cause: null,
      actor: { kind: 'application', id: me.application.client_id, name: expect.any(String) },
      changes: { name: { old: 'Old lighthouse', new: 'New lighthouse' } },
    });
    expect(Object.keys(edited?.changes ?? {})).toEqual(['name']);
    expect(created?.changes).toMatchObject({ name: { old: null, new: 'Old lighthouse' }, tags: { old: null, new: ['sea'] } });
    expect(deleted?.changes).toEqual({});
  });

  it('is read page by page, and each page continues where the one before it ended', async () => {
    const me = await auditor();
    const { id } = await me.create('/lists', aList());
    for (let edit = 1; edit <= 5; edit += 1) bodyOf(await me.put(`/lists/${id}`, aList({ name: `Edit ${edit}` })), 200);
    const revisions: (number | null)[] = [];
    for (let path: string | null = `/audit/v1/lists/${id}/history?limit=2`; path !== null; ) {
      const page: HistoryPage = bodyOf<HistoryPage>(await me.get(path), 200);
      expect(page.results.length).toBeLessThanOrEqual(2);
      revisions.push(...page.results.map(({ revision }) => revision));
      path = page.next;
    }
    expect(revisions).toEqual([5, 4, 3, 2, 1, 0]);
  });

  it('shows a membership and an event at a pinpoint on both sides, and what a deletion ended', async () => {
    const me = await auditor();
    const pinpoint = await me.create('/pinpoints', aPinpoint());
    const list = await me.create('/lists', aList());
    const event = await me.create('/events', anEvent(pinpoint.id));
    bodyOf(await me.post(`/lists/${list.id}/pinpoints`, members(pinpoint.id)), 200);
    expect((await me.delete(`/lists/${list.id}`)).status).toBe(204);
    expect((await me.delete(`/pinpoints/${pinpoint.id}`)).status).toBe(204);
    const ofPinpoint = await historyOf(me, 'pinpoints', pinpoint.id);
    expect(actionsOf(ofPinpoint)).toEqual(['created', 'event_added', 'added_to_list', 'list_deleted', 'deleted']);
    expect(ofPinpoint[1]).toMatchObject({ revision: null, related: { kind: 'lists', id: list.id } });
    const ofList = await historyOf(me, 'lists', list.id);
    expect(actionsOf(ofList)).toEqual(['created', 'members_added', 'deleted', 'member_deleted']);
    expect(ofList[2]).toMatchObject({ members: { added: [pinpoint.id], removed: [] } });
    expect(ofList[0]).toMatchObject({ cause: ofPinpoint[0]?.id, related: { kind: 'pinpoints', id: pinpoint.id } });
    const ofEvent = await historyOf(me, 'events', event.id);
    expect(actionsOf(ofEvent)).toEqual(['created', 'pinpoint_deleted']);
    expect(ofEvent[0]).toMatchObject({ cause: ofPinpoint[0]?.id });
  });

  it('has what operators did to an application, and no hash of a secret', async () => {
    const me = await auditor();
    const answer = await me.get(`/audit/v1/applications/${me.application.client_id}/history`);
    expect(bodyOf<HistoryPage>(answer, 200).results[0]).toMatchObject({
      action: 'created',
      actor: { kind: 'operator', id: 'operator', name: null },
      changes: { secrets: { old: null, new: [me.application.secret_id] } },
    });
    expect(answer.text).not.toContain('hash');
  });

  it('includes every write that was acknowledged', async () => {
    const me = await auditor();
    const { id } = await me.create('/lists', aList());
    for (let edit = 1; edit <= 30; edit += 1) {
      bodyOf(await me.put(`/lists/${id}`, aList({ name: `Edit ${edit}` })), 200);
      expect((await historyOf(me, 'lists', id))[0]).toMatchObject({ revision: edit });
    }
  });

  it.each(['history', 'versions/0', 'blame', 'diff?from=0&to=0'])("is nobody else's, and requires the scope audit: %s", async (read) => {
    const me = await auditor();
    const { id } = await me.create('/lists', aList());
    const path = `/audit/v1/lists/${id}/${read}`;
    const answer = await me.get(path);
    expect([answer.status, answer.headers['cache-control'], answer.headers['etag']]).toEqual([200, 'no-store', undefined]);
    expect((await (await auditor()).get(path)).status).toBe(403);
    expect((await (await waymark.session(me.application, 'read')).get(path)).status).toBe(403);
    expect((await me.send('POST', path)).status).toBe(405);
    for (const other of [`/audit/v1/lists/${unknownId}/${read}`, `/audit/v1/lists/x/${read}`, `/audit/v1/things/${id}/${read}`]) {
      const missing = await me.get(other);
      expect([missing.status, missing.headers['cache-control']]).toEqual([404, 'no-store']);
    }
  });

  it('refuses a cursor of another object or account', async () => {
    const [me, other] = [await auditor(), await auditor()];
    const { id } = await me.create('/lists', aList());
    bodyOf(await me.put(`/lists/${id}`, aList({ name: 'Edited' })), 200);
    const { next } = bodyOf<HistoryPage>(await me.get(`/audit/v1/lists/${id}/history?limit=1`), 200);
    const cursor = new URL(String(next)).search;
    const second = await me.create('/lists', aList());
    expect((await me.get(`/audit/v1/lists/${second.id}/history${cursor}`)).status).toBe(404);
    expect((await me.get(`/audit/v1/lists/${id}/diff${cursor}`)).status).toBe(404);
    expect((await me.get(`/lists${cursor}`)).status).toBe(404);
    const theirs = await other.create('/lists', aList());
    expect((await other.get(`/audit/v1/lists/${theirs.id}/history${cursor}`)).status).toBe(404);
  });
});

describe('after an erasure', () => {
  it('nothing that was erased is returned, but the fact that it happened is', async () => {
    const me = await auditor();
    const secret = `secret-${randomUUID()}`;
    const { id } = await me.create('/pinpoints', aPinpoint({ name: secret }));
    bodyOf(await me.put(`/pinpoints/${id}`, aPinpoint({ name: 'Public' })), 200);
    await forget(me, 'pinpoint', id);
    const answer = await me.get(`/audit/v1/pinpoints/${id}/history`);
    expect(answer.text).not.toContain(secret);
    const entries = bodyOf<HistoryPage>(answer, 200).results.filter(({ revision }) => revision !== null);
    expect(actionsOf(entries)).toEqual(['created', 'edited', 'erased']);
    expect(entries.map(({ changes }) => changes)).toEqual([{}, null, null]);
    expect((await me.get(`/audit/v1/pinpoints/${id}/versions/1`)).status).toBe(410);
    expect((await me.get(`/audit/v1/pinpoints/${id}/diff?from=0&to=2`)).status).toBe(410);
    expect(bodyOf(await me.get(`/audit/v1/pinpoints/${id}/versions/2`), 200)).toMatchObject({ name: 'Public' });
    const { fields } = bodyOf<{ fields: Record<string, unknown> }>(await me.get(`/audit/v1/pinpoints/${id}/blame`), 200);
    expect(fields['name']).toMatchObject({ value: 'Public', set: null, before: null, erased: { revision: 2 } });
  });

  it("an erased list's former memberships are no longer in the histories of the pinpoints", async () => {
    const me = await auditor();
    const [left, stays] = [await me.create('/pinpoints', aPinpoint()), await me.create('/pinpoints', aPinpoint())];
    const list = await me.create('/lists', aList());
    bodyOf(await me.post(`/lists/${list.id}/pinpoints`, members(left.id, stays.id)), 200);
    bodyOf(await me.delete(`/lists/${list.id}/pinpoints`, members(left.id)), 200);
    await forget(me, 'list', list.id);
    expect(actionsOf(await historyOf(me, 'pinpoints', left.id))).toEqual(['created']);
    expect(actionsOf(await historyOf(me, 'pinpoints', stays.id))).toEqual(['created']);
    expect((await me.delete(`/pinpoints/${stays.id}`)).status).toBe(204);
    expect(actionsOf(await historyOf(me, 'lists', list.id)).at(-1)).toBe('member_deleted');
  });
});
