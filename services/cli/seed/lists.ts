import { airportCredits } from './airports.ts';
import { cityCredits } from './cities.ts';
import { type DemoPlace, html } from './places.ts';

export type List = { readonly name: string; readonly description: string; readonly places: readonly DemoPlace[] };

const about: Readonly<Record<string, string>> = {
  'Seaplane bases': 'Where aircraft land on water.',
  Heliports: 'Where nothing needs a runway.',
  Capitals: 'Capitals and seats of government, as GeoNames has them.',
  Megacities: 'Cities of more than four million people that are no capital.',
  'The far north': 'The last towns before the North Pole.',
  'The far south': 'The last towns before the South Pole.',
};

/** Returns the lists that the places are in. */
export const listsOf = (places: readonly DemoPlace[]): readonly List[] =>
  [...Map.groupBy(places.flatMap(inEach), ({ list }) => list)].map(([name, members]) => ({
    name,
    description: `<p>${html(about[name] ?? `${name}, as far as this map shows them.`)}</p><p><small>${html(creditsOf(name))}</small></p>`,
    places: members.map(({ place }) => place),
  }));

const inEach = (place: DemoPlace): readonly { readonly list: string; readonly place: DemoPlace }[] =>
  place.lists.map((list) => ({ list, place }));

const ofAirports = /^(Airports|Seaplane|Heliports)/;
const creditsOf = (name: string): string => (ofAirports.test(name) ? airportCredits : cityCredits);
