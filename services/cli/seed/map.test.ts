import { categories, imageOf } from './categories.ts';
import { type DemoMap, demoMap } from './map.ts';
import { keyOf } from './places.ts';

const nowMs = Date.parse('2026-05-01T15:30:00.000Z');

describe('the demonstration map', () => {
  let map: DemoMap;
  beforeAll(async () => {
    map = await demoMap(nowMs);
  });

  it('has enough objects for a demonstration', () => {
    expect(map.places.length).toBeGreaterThan(1_000);
    expect(map.lists.length).toBeGreaterThanOrEqual(10);
    expect(map.categories.length).toBeGreaterThanOrEqual(8);
    expect(map.happenings.length).toBeGreaterThanOrEqual(50);
  });

  it('has every place once, with an existing category, in a list, and with its credits', () => {
    const { places } = map;
    const names = new Set(categories.map(({ name }) => name));
    expect(new Set(places.map(keyOf)).size).toBe(places.length);
    expect(
      places.filter(({ category, lists, media_credits }) => !names.has(category) || lists.length === 0 || media_credits === ''),
    ).toEqual([]);
    expect([...names].filter((name) => !places.some(({ category }) => category === name))).toEqual([]);
  });

  it('finds every city that cities.csv chooses', () => {
    const { lists } = map;
    const sizes = new Map(lists.map(({ name, places }) => [name, places.length]));
    expect(sizes.get('Capitals')).toBe(241);
    expect(sizes.get('Megacities')).toBe(37);
    expect(lists.every(({ description }) => description.includes('CC BY 4.0'))).toBe(true);
  });

  it('has happenings in the future, each identified by its name and place', () => {
    const { happenings } = map;
    const dates = happenings.flatMap((happening) => happening.dates);
    expect(
      dates.every(({ start, end }) => Date.parse(start) > nowMs && end > start && /^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/.test(end)),
    ).toBe(true);
    expect(new Set(happenings.map(({ name, place }) => `${name} ${keyOf(place)}`)).size).toBe(happenings.length);
  });

  it('is the same at any time, except for the dates', async () => {
    const tomorrows = await demoMap(nowMs + 86_400_000);
    expect(tomorrows.places).toEqual(map.places);
    expect(tomorrows.happenings.map(({ name }) => name)).toEqual(map.happenings.map(({ name }) => name));
  });

  it('draws an icon for each category', async () => {
    const images = await Promise.all(categories.map(imageOf));
    const signatures = images.map(({ content }) => Buffer.from(content, 'base64').subarray(0, 8).toString('latin1'));
    expect(new Set(signatures)).toEqual(new Set(['\x89PNG\r\n\x1a\n']));
    expect(new Set(images.map(({ content }) => content)).size).toBe(categories.length);
  });
});
