import { faults, statusAndBody } from './client.ts';
import { anEvent, aPinpoint, make, unknownId } from './samples.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const refusal = (field: string, id: number): unknown => ({
  status: 400,
  body: { [field]: [`Invalid pk "${id}" - object does not exist.`] },
});

describe('References:', () => {
  it.each([unknownId, 9_007_199_254_740_000])('an unknown category is refused: %d', async (category) => {
    const me = await waymark.account();
    expect(statusAndBody(await me.post('/pinpoints', aPinpoint({ category })))).toEqual(refusal('category', category));
    const { id } = await me.create('/pinpoints', aPinpoint());
    expect(statusAndBody(await me.put(`/pinpoints/${id}`, aPinpoint({ category })))).toEqual(refusal('category', category));
  });

  it('an unknown pinpoint of an event is refused', async () => {
    const me = await waymark.account();
    expect(statusAndBody(await me.post('/events', anEvent(unknownId)))).toEqual(refusal('pinpoint', unknownId));
    const { id } = await make(me, 'events');
    expect(statusAndBody(await me.put(`/events/${id}`, anEvent(unknownId)))).toEqual(refusal('pinpoint', unknownId));
  });

  it('a category of another account counts as missing', async () => {
    const [me, other] = [await waymark.account(), await waymark.account()];
    const category = (await make(other, 'categories')).id;
    expect(statusAndBody(await me.post('/pinpoints', aPinpoint({ category })))).toEqual(refusal('category', category));
  });

  it('a pinpoint of another account counts as missing', async () => {
    const [me, other] = [await waymark.account(), await waymark.account()];
    const pinpoint = (await make(other, 'pinpoints')).id;
    expect(statusAndBody(await me.post('/events', anEvent(pinpoint)))).toEqual(refusal('pinpoint', pinpoint));
    const { id } = await make(me, 'events');
    expect(statusAndBody(await me.put(`/events/${id}`, anEvent(pinpoint)))).toEqual(refusal('pinpoint', pinpoint));
  });

  it('a deleted pinpoint accepts no event', async () => {
    const me = await waymark.account();
    const { id } = await make(me, 'pinpoints');
    const event = await make(me, 'events');
    await me.delete(`/pinpoints/${id}`);
    expect(statusAndBody(await me.post('/events', anEvent(id)))).toEqual(refusal('pinpoint', id));
    expect(statusAndBody(await me.put(`/events/${event.id}`, anEvent(id)))).toEqual(refusal('pinpoint', id));
  });

  it.each([0, -1])('the id %d refers to no object', async (id) => {
    const me = await waymark.account();
    const answer = await me.post('/pinpoints', aPinpoint({ category: id }));
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ category: [expect.any(String)] });
  });

  it('an unknown category is reported together with the other faults', async () => {
    const me = await waymark.account();
    const answer = await me.post('/pinpoints', aPinpoint({ name: '', category: '7', latitude: 91 }));
    expect(faults(answer)).toEqual(['category', 'latitude', 'name']);
  });

  it('a pinpoint can change its category, and an event its pinpoint', async () => {
    const me = await waymark.account();
    const category = (await make(me, 'categories')).id;
    const pinpoint = await me.create('/pinpoints', aPinpoint());
    expect((await me.put(`/pinpoints/${pinpoint.id}`, aPinpoint({ category }))).body).toEqual({ ...pinpoint, category });
    const event = await make(me, 'events');
    expect((await me.put(`/events/${event.id}`, anEvent(pinpoint.id))).body).toEqual({ ...event, pinpoint: pinpoint.id });
    expect((await me.page(`/events?pinpoint=${pinpoint.id}`)).results).toEqual([{ ...event, pinpoint: pinpoint.id }]);
    expect((await me.page(`/events?pinpoint=${event['pinpoint']}`)).results).toEqual([]);
  });
});
