import { aList, aPinpoint, make, resourceNamed } from './samples.ts';
import type { Thing } from './session.ts';
import { useTarget } from './target.ts';

const waymark = useTarget();

const pinpointFields = [
  'id',
  'name',
  'address',
  'latitude',
  'longitude',
  'altitude',
  'category',
  'description',
  'media_credits',
  'media_url',
  'tags',
];
const eventFields = ['id', 'name', 'pinpoint', 'dates', 'description', 'media_credits', 'media_url', 'tags'];

/** Returns the same object as each kind of response shows it: created, changed, found, on a page. */
const everyRepresentation = async (name: string): Promise<Thing[]> => {
  const me = await waymark.account();
  const created = await me.create(`/${name}`, await resourceNamed(name).full(me));
  const changed = await me.put(`/${name}/${created.id}`, await resourceNamed(name).full(me));
  const found = await me.read(`/${name}/${created.id}`);
  const { results } = await me.page(`/${name}`);
  return [created, changed.body as Thing, found, ...results.filter(({ id }) => id === created.id)];
};

const expectFields = async (name: string, fields: readonly string[]): Promise<void> => {
  const representations = await everyRepresentation(name);
  expect(representations).toHaveLength(4);
  for (const representation of representations) expect(Object.keys(representation)).toEqual(fields);
};

describe('Never null in an answer:', () => {
  it.each([
    [
      'pinpoints',
      {
        name: 'Old lighthouse',
        address: '',
        latitude: 54.18,
        longitude: 7.88,
        altitude: null,
        category: null,
        description: '',
        media_credits: '',
        media_url: null,
        tags: [],
      },
    ],
    ['lists', { name: 'Walks by the sea', description: '' }],
    ['events', { name: 'Night of the lamps', description: '', media_credits: '', media_url: null, tags: [], dates: [{}] }],
  ])('fields of %s that were never given have their defaults', async (name, defaults) => {
    const me = await waymark.account();
    const made = await make(me, name);
    expect(made).toMatchObject(defaults);
    expect(await me.read(`/${name}/${made.id}`)).toEqual(made);
  });
});

describe('Pinpoint answer:', () => {
  it('has these fields in every representation', () => expectFields('pinpoints', pinpointFields));

  it('gives back what was sent', async () => {
    const me = await waymark.account();
    const { media_file: _, ...sent } = await resourceNamed('pinpoints').full(me);
    expect(await me.create('/pinpoints', sent)).toEqual({ ...sent, id: expect.any(Number), media_url: null });
  });
});

describe('List answer:', () => {
  it('has these fields in every representation', () => expectFields('lists', ['id', 'name', 'description']));

  it('gives back what was sent', async () => {
    const me = await waymark.account();
    const sent = aList({ description: '<p>Flat.</p>' });
    expect(await me.create('/lists', sent)).toEqual({ ...sent, id: expect.any(Number) });
  });
});

describe('Category answer:', () => {
  it('has these fields in every representation', () => expectFields('categories', ['id', 'name', 'image_url']));

  it('shows the URL of its image', async () => {
    const me = await waymark.account();
    const image_url = expect.stringMatching(/^https?:\/\/.+\/media\/.+$/);
    expect(await make(me, 'categories')).toEqual({ id: expect.any(Number), name: 'Lighthouses', image_url });
  });
});

describe('Event answer:', () => {
  it('has these fields in every representation', () => expectFields('events', eventFields));

  it('gives back what was sent, with its pinpoint as an integer', async () => {
    const me = await waymark.account();
    const { media_file: _, ...sent } = await resourceNamed('events').full(me);
    expect(await me.create('/events', sent)).toEqual({ ...sent, id: expect.any(Number), media_url: null });
    expect(sent['pinpoint']).toEqual(expect.any(Number));
  });
});

describe('Created answer:', () => {
  it('holds altitude and pinpoint', async () => {
    const me = await waymark.account();
    expect(await me.create('/pinpoints', aPinpoint({ altitude: 12.5 }))).toMatchObject({ altitude: 12.5 });
    expect(await make(me, 'events')).toMatchObject({ pinpoint: expect.any(Number) });
  });
});

describe('Answers of /events:', () => {
  it.each([
    ['GET', '/events', 200],
    ['POST', '/events', 201],
    ['GET', '/events/:id', 200],
    ['PUT', '/events/:id', 200],
    ['DELETE', '/events/:id', 204],
  ])('have the statuses of pinpoints: %s %s %s', async (method, path, status) => {
    const me = await waymark.account();
    const { id } = await make(me, 'events');
    const hasBody = method === 'POST' || method === 'PUT';
    const body = hasBody ? { body: JSON.stringify(await resourceNamed('events').body(me)) } : {};
    const headers = { 'Content-Type': 'application/json' };
    const answer = await me.send(method, path.replace(':id', String(id)), { headers, ...body });
    expect(answer.status).toBe(status);
    if (status === 204) expect(answer.text).toBe('');
  });
});
