import { compareFields } from './fields.ts';

const pinpoint = {
  id: 12,
  name: 'Harbour light',
  address: 'Mole 1, Nida',
  latitude: 55.303,
  longitude: 21.005,
  altitude: 3.5,
  category: 4,
  description: '<p>White, then red.</p>',
  media_credits: 'Photo: R. Jonaitis',
  media_url: 'https://waymark.example/media/a.png',
  tags: ['light', 'harbour'],
};
const happening = {
  id: 31,
  name: 'Open day',
  pinpoint: 12,
  dates: [{ start: '2026-05-01T08:00:00.000Z', end: '2026-05-01T16:00:00.000Z' }],
  description: '',
  media_credits: '',
  media_url: null,
  tags: [],
};
const category = { id: 4, name: 'Lights', image_url: 'https://waymark.example/media/b.png' };

describe('Comparing two versions of an object', () => {
  it.each([
    ['pinpoint', pinpoint],
    ['event', happening],
    ['category', category],
    ['list', { id: 7, name: 'Walk', description: 'Along the lagoon' }],
  ])('finds no change between equal versions of a %s', (_, version) => {
    expect(compareFields(version, structuredClone(version))).toEqual({});
  });

  it('gives the old and the new value of each changed field, under the names and in the order of the API', () => {
    const changed = { ...pinpoint, name: 'Light', address: '', altitude: null, category: null, media_credits: 'R. J.', media_url: null };
    expect(JSON.stringify(compareFields(pinpoint, changed))).toBe(
      JSON.stringify({
        name: { old: 'Harbour light', new: 'Light' },
        address: { old: 'Mole 1, Nida', new: '' },
        altitude: { old: 3.5, new: null },
        category: { old: 4, new: null },
        media_credits: { old: 'Photo: R. Jonaitis', new: 'R. J.' },
        media_url: { old: 'https://waymark.example/media/a.png', new: null },
      }),
    );
  });

  it('compares the image of a category', () => {
    const image_url = 'https://waymark.example/media/c.png';
    expect(compareFields(category, { ...category, image_url })).toEqual({ image_url: { old: category.image_url, new: image_url } });
  });

  it('compares the pinpoint and the dates of an event', () => {
    const dates = [...happening.dates, { start: '2026-05-02T08:00:00.000Z', end: '2026-05-02T16:00:00.000Z' }];
    expect(compareFields(happening, { ...happening, pinpoint: 13, dates })).toEqual({
      pinpoint: { old: 12, new: 13 },
      dates: { old: happening.dates, new: dates },
    });
  });

  it('has scopes, secrets and the state of an application', () => {
    const application = { name: 'CMS', scopes: ['read', 'write'], secrets: ['a'], status: 'active' };
    expect(compareFields(application, { ...application, scopes: ['read'], secrets: ['a', 'b'], status: 'suspended' })).toEqual({
      scopes: { old: ['read', 'write'], new: ['read'] },
      secrets: { old: ['a'], new: ['a', 'b'] },
      status: { old: 'active', new: 'suspended' },
    });
  });

  it('gives a move as one change, with the distance to the millimetre', () => {
    expect(compareFields(pinpoint, { ...pinpoint, latitude: 55.304 })).toEqual({
      location: {
        old: { latitude: 55.303, longitude: 21.005 },
        new: { latitude: 55.304, longitude: 21.005 },
        metres: 111.195,
      },
    });
  });

  it('compares the words of a description', () => {
    const description = '<p>White, then green.</p>';
    expect(compareFields(pinpoint, { ...pinpoint, description })).toEqual({
      description: {
        old: pinpoint.description,
        new: description,
        words: [
          { change: 'same', text: 'White, then ' },
          { change: 'removed', text: 'red' },
          { change: 'added', text: 'green' },
          { change: 'same', text: '.' },
        ],
        links: [],
        complete: true,
      },
    });
  });

  it('lists the tags that were added and removed, and notices a new order', () => {
    const { tags } = compareFields(pinpoint, { ...pinpoint, tags: ['harbour', 'red'] });
    expect(tags).toEqual({ old: ['light', 'harbour'], new: ['harbour', 'red'], added: ['red'], removed: ['light'] });
    expect(compareFields(pinpoint, { ...pinpoint, tags: ['harbour', 'light'] }).tags).toMatchObject({ added: [], removed: [] });
  });
});
