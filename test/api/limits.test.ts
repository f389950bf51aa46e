import { inFlight, statusAndBody } from './client.ts';
import { aList, anEvent, make, members } from './samples.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const atOnce = 64;
const listsMax = 1_000;
const eventsMax = 10_000;

describe('Limits of a pinpoint:', () => {
  it('1,000 lists are accepted, one more is an error of its element', async () => {
    const me = await waymark.account();
    const [full, free] = [(await make(me, 'pinpoints')).id, (await make(me, 'pinpoints')).id];
    const lists = await inFlight(atOnce, Array.from({ length: listsMax }), () => me.create('/lists', aList()));
    const joined = await inFlight(atOnce, lists, ({ id }) => me.post(`/lists/${id}/pinpoints`, members(full)));
    expect(joined.filter(({ text }) => text === '{"errors":[],"total":1}')).toHaveLength(listsMax);

    const { id } = await me.create('/lists', aList());
    const answer = await me.post(`/lists/${id}/pinpoints`, members(full, free));
    expect(statusAndBody(answer)).toEqual({
      status: 200,
      body: { errors: [{ id: full, code: 'limit', detail: expect.any(String) }], total: 1 },
    });
    // The pinpoint is a member already. Nothing is added, so nothing is refused.
    const again = await me.post(`/lists/${lists[0]?.id}/pinpoints`, members(full));
    expect(again.body).toEqual({ errors: [], total: 1 });
    await me.delete(`/lists/${lists[0]?.id}/pinpoints`, members(full));
    expect((await me.post(`/lists/${id}/pinpoints`, members(full))).body).toEqual({ errors: [], total: 1 });
  });

  it('10,000 events are accepted, one more is refused', async () => {
    const me = await waymark.account();
    const pinpoint = (await make(me, 'pinpoints')).id;
    const made = await inFlight(atOnce, Array.from({ length: eventsMax }), () => me.create('/events', anEvent(pinpoint)));

    const answer = await me.post('/events', anEvent(pinpoint));
    expect(statusAndBody(answer)).toEqual({ status: 400, body: { non_field_errors: [expect.any(String)] } });
    const elsewhere = await make(me, 'events');
    const moved = await me.put(`/events/${elsewhere.id}`, anEvent(pinpoint));
    expect(statusAndBody(moved)).toEqual({ status: 400, body: { non_field_errors: [expect.any(String)] } });

    expect((await me.put(`/events/${made[0]?.id}`, anEvent(pinpoint, { name: 'Renamed' }))).status).toBe(200);
    await me.delete(`/events/${made[0]?.id}`);
    expect((await me.post('/events', anEvent(pinpoint))).status).toBe(201);
  });
});
