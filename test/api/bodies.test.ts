import { statusAndBody } from './client.ts';
import { aList, aPinpoint, make, resourceNamed, resources } from './samples.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const json = { 'Content-Type': 'application/json' };
const names = resources.map(({ name }) => name);

describe('Unknown fields in a body:', () => {
  it.each(names)('are ignored for %s', async (name) => {
    const me = await waymark.account();
    const unknown = { id: 7, colour: 'red', media_url: 'https://evil.example', image_url: 'x', account: 'other', nested: { a: [1] } };
    const made = await make(me, name, unknown);
    expect(Object.keys(made)).toEqual(Object.keys(await make(me, name)));
    expect(JSON.stringify(made)).not.toMatch(/colour|evil|other/);
  });

  it('an id in a body changes nothing', async () => {
    const me = await waymark.account();
    const made = await me.create('/lists', aList());
    const other = await me.create('/lists', aList());
    const answer = await me.put(`/lists/${made.id}`, aList({ id: other.id, name: 'Renamed' }));
    expect(statusAndBody(answer)).toEqual({ status: 200, body: { ...made, name: 'Renamed' } });
    expect(await me.read(`/lists/${other.id}`)).toEqual(other);
  });

  it.each([
    '{"name":"Walks","__proto__":{"description":"polluted"}}',
    '{"name":"Walks","constructor":{"prototype":{"description":"polluted"}}}',
    '{"name":"Walks","prototype":{"description":"polluted"},"toString":1,"hasOwnProperty":2,"valueOf":null}',
  ])('names of built-in JavaScript properties have no effect: %s', async (body) => {
    const me = await waymark.account();
    const answer = await me.send('POST', '/lists', { headers: json, body });
    expect(statusAndBody(answer)).toEqual({ status: 201, body: { id: expect.any(Number), name: 'Walks', description: '' } });
    expect(await me.create('/lists', aList())).toMatchObject({ description: '' });
  });

  it('a required field is not found in __proto__', async () => {
    const me = await waymark.account();
    const answer = await me.send('POST', '/lists', { headers: json, body: '{"__proto__":{"name":"Walks"}}' });
    expect(statusAndBody(answer)).toEqual({ status: 400, body: { name: ['This field is required.'] } });
  });

  it('names of built-in JavaScript properties inside a file, a range and a member have no effect', async () => {
    const me = await waymark.account();
    const range = '{"start":"2030-01-01T00:00:00.000Z","end":"2030-01-02T00:00:00.000Z","__proto__":{"x":1}}';
    const body = JSON.stringify(await resourceNamed('events').body(me, { dates: 'HERE' })).replace('"HERE"', `[${range}]`);
    expect((await me.send('POST', '/events', { headers: json, body })).status).toBe(201);
    const { id } = await me.create('/lists', aList());
    const pinpoint = await me.create('/pinpoints', aPinpoint());
    const answer = await me.send('POST', `/lists/${id}/pinpoints`, { headers: json, body: `[{"__proto__":{"id":${pinpoint.id}}}]` });
    expect(answer.body).toMatchObject({ total: 0, errors: [{ id: null, code: 'invalid' }] });
  });
});
