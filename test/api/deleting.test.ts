import { statusAndBody } from './client.ts';
import { anEvent, aPinpoint, make, members } from './samples.ts';
import { idsOf, type Session } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

/** Creates two lists that share two pinpoints, each pinpoint with two events. */
const aMap = async (me: Session): Promise<{ lists: number[]; gone: number; kept: number; eventsGone: number[]; eventsKept: number[] }> => {
  const [gone, kept] = [(await make(me, 'pinpoints')).id, (await make(me, 'pinpoints')).id];
  const lists = [(await make(me, 'lists')).id, (await make(me, 'lists')).id];
  for (const list of lists) await me.post(`/lists/${list}/pinpoints`, members(gone, kept));
  const eventsAt = async (pinpoint: number): Promise<number[]> => [
    (await me.create('/events', anEvent(pinpoint))).id,
    (await me.create('/events', anEvent(pinpoint))).id,
  ];
  return { lists, gone, kept, eventsGone: await eventsAt(gone), eventsKept: await eventsAt(kept) };
};

describe('Deleting a pinpoint:', () => {
  it('removes its memberships and its events immediately', async () => {
    const me = await waymark.account();
    const { lists, gone, kept, eventsGone, eventsKept } = await aMap(me);
    const answer = await me.delete(`/pinpoints/${gone}`);
    expect([answer.status, answer.text]).toEqual([204, '']);

    expect((await me.get(`/pinpoints/${gone}`)).status).toBe(404);
    for (const list of lists) expect(idsOf(await me.page(`/pinpoints?list=${list}`))).toEqual([kept]);
    expect(idsOf(await me.page('/pinpoints'))).toEqual([kept]);
    expect(idsOf(await me.page('/events'))).toEqual(eventsKept);
    expect(idsOf(await me.page(`/events?pinpoint=${gone}`))).toEqual([]);
    for (const id of eventsGone) expect((await me.get(`/events/${id}`)).status).toBe(404);
    for (const id of eventsKept) expect((await me.get(`/events/${id}`)).status).toBe(200);
  });

  it('makes the pinpoint and its events unavailable to writes', async () => {
    const me = await waymark.account();
    const { lists, gone, kept, eventsGone } = await aMap(me);
    await me.delete(`/pinpoints/${gone}`);
    expect((await me.put(`/pinpoints/${gone}`, aPinpoint())).status).toBe(404);
    expect((await me.delete(`/pinpoints/${gone}`)).status).toBe(404);
    for (const id of eventsGone) {
      expect((await me.put(`/events/${id}`, anEvent(kept))).status).toBe(404);
      expect((await me.delete(`/events/${id}`)).status).toBe(404);
    }
    expect((await me.post(`/lists/${lists[0]}/pinpoints`, members(gone))).body).toEqual({
      errors: [{ id: gone, code: 'not_found', detail: 'Not found.' }],
      total: 0,
    });
  });

  it('never shows concurrent readers a partial deletion', async () => {
    const me = await waymark.account();
    const { lists, gone, eventsGone } = await aMap(me);
    const deletion = me.delete(`/pinpoints/${gone}`).then(() => true);
    let isOver = false;
    while (!isOver) {
      isOver = await Promise.race([deletion, Promise.resolve(false)]);
      // The reads are in this order, so that an earlier read must have shown whatever a later one shows.
      const pinpoint = (await me.get(`/pinpoints/${gone}`)).status === 200;
      const member = idsOf(await me.page(`/pinpoints?list=${lists[0]}`)).includes(gone);
      const event = (await me.get(`/events/${eventsGone[0]}`)).status === 200;
      expect([pinpoint || !member, member || !event]).toEqual([true, true]);
    }
  });

  it('keeps an event that was moved to another pinpoint before', async () => {
    const me = await waymark.account();
    const { gone, kept, eventsGone } = await aMap(me);
    const moved = eventsGone[0] ?? 0;
    await me.put(`/events/${moved}`, anEvent(kept));
    await me.delete(`/pinpoints/${gone}`);
    expect(await me.read(`/events/${moved}`)).toMatchObject({ pinpoint: kept });
  });
});

describe('Deleting a list:', () => {
  it('does not change its pinpoints', async () => {
    const me = await waymark.account();
    const { lists, gone, kept } = await aMap(me);
    const answer = await me.delete(`/lists/${lists[0]}`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await me.get(`/lists/${lists[0]}`)).status).toBe(404);
    expect(idsOf(await me.page('/lists'))).toEqual([lists[1]]);
    expect(idsOf(await me.page('/pinpoints'))).toEqual([gone, kept]);
    expect(idsOf(await me.page(`/pinpoints?list=${lists[1]}`))).toEqual([gone, kept]);
    expect(await me.page(`/pinpoints?list=${lists[0]}`)).toEqual({ results: [], next: null, previous: null });
  });
});

describe('Deleting a category:', () => {
  it('is not allowed', async () => {
    const me = await waymark.account();
    const category = await make(me, 'categories');
    const answer = await me.delete(`/categories/${category.id}`);
    expect(statusAndBody(answer)).toEqual({ status: 405, body: { detail: 'Method "DELETE" not allowed.' } });
    expect(await me.read(`/categories/${category.id}`)).toEqual(category);
  });
});

describe('Answers of /events: deleting one', () => {
  it('does not change its pinpoint', async () => {
    const me = await waymark.account();
    const { lists, kept, eventsKept } = await aMap(me);
    expect((await me.delete(`/events/${eventsKept[0]}`)).status).toBe(204);
    expect(idsOf(await me.page(`/events?pinpoint=${kept}`))).toEqual(eventsKept.slice(1));
    expect(idsOf(await me.page(`/pinpoints?list=${lists[0]}`))).toContain(kept);
    expect((await me.get(`/pinpoints/${kept}`)).status).toBe(200);
  });
});
