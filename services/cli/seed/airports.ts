import library, { type Airport } from 'airport-data-js';
import { continents, countryName, type DemoPlace, html, normal } from './places.ts';

export const airportCredits = 'Airport data: airport-data-js by Aashish Vivekanand, CC BY 4.0';

const perContinent = 90;
const seaplaneBasesMax = 60;

/** Returns airports for the map, in an order that never changes: those with the longest runways of each continent, and places for rarer
 * aircraft. */
export const airportPlaces = async (): Promise<readonly DemoPlace[]> => {
  const found = await Promise.all(
    continents.map(async ({ code, name }) => ({ name, airports: await library.getAirportByContinent(code) })),
  );
  const everywhere = found.flatMap(({ airports }) => airports).sort((one, other) => (one.iata < other.iata ? -1 : 1));
  return [
    ...found.flatMap(({ name, airports }) => largest(airports).map((airport) => placeOf(airport, `Airports of ${name}`))),
    ...everywhere
      .filter(isSeaplaneBase)
      .slice(0, seaplaneBasesMax)
      .map((airport) => placeOf(airport, 'Seaplane bases')),
    ...everywhere.filter(isHeliport).map((airport) => placeOf(airport, 'Heliports')),
  ];
};

/** Returns the continent of each country, taken from its airports. */
export const continentsOfCountries = async (): Promise<ReadonlyMap<string, string>> => {
  const found = await Promise.all(
    continents.map(async ({ code, name }) => ({ name, airports: await library.getAirportByContinent(code) })),
  );
  return new Map(found.flatMap(({ name, airports }) => airports.map(({ country_code }) => [country_code, name])));
};

const largest = (airports: readonly Airport[]): readonly Airport[] =>
  airports
    .filter((airport) => airport.type in categories && isServed(airport) && airport.runway_length)
    .sort((one, other) => rank(other) - rank(one))
    .slice(0, perContinent);

const largeFirst = 1_000_000;
const rank = ({ type, runway_length }: Airport): number => (type === 'large_airport' ? largeFirst : 0) + (runway_length ?? 0);

const isServed = ({ iata, scheduled_service }: Airport): boolean => iata !== '' && String(scheduled_service) === 'TRUE';
const isSeaplaneBase = (airport: Airport): boolean => airport.type === 'seaplane_base' && isServed(airport);
const isHeliport = ({ type, iata, airport, wikipedia }: Airport): boolean =>
  type === 'heliport' && iata !== '' && /heliport/i.test(`${airport} ${wikipedia}`);

const categories: Readonly<Record<string, string>> = { large_airport: 'International airport', medium_airport: 'Regional airport' };
const rarer: Readonly<Record<string, string>> = { seaplane_base: 'Seaplane base', heliport: 'Heliport' };

const placeOf = (airport: Airport, list: string): DemoPlace => ({
  name: normal(airport.airport),
  address: countryName(airport.country_code),
  latitude: airport.latitude,
  longitude: airport.longitude,
  description: description(airport),
  media_credits: airportCredits,
  tags: ['airport', airport.iata, airport.country_code],
  category: categories[airport.type] ?? rarer[airport.type] ?? '',
  lists: [list],
});

const description = ({ iata, icao, time, wikipedia, website }: Airport): string => {
  const codes = `IATA <strong>${html(iata)}</strong>${icao ? `, ICAO <strong>${html(icao)}</strong>` : ''}`;
  const links = [link(wikipedia, 'Wikipedia'), link(website, 'Website')].filter((one) => one !== '').join(' · ');
  return `<p>${codes}. Time zone ${html(time)}.</p>${links === '' ? '' : `<p>${links}</p>`}`;
};

const link = (url: string | undefined, text: string): string =>
  url?.startsWith('http') && URL.canParse(url) ? `<a href="${html(url)}">${text}</a>` : '';
