import { airportPlaces } from './airports.ts';
import { type Category, categories } from './categories.ts';
import { cityPlaces } from './cities.ts';
import { type Happening, happeningsAt } from './happenings.ts';
import { type List, listsOf } from './lists.ts';
import { type DemoPlace, distinct } from './places.ts';

/** Everything that the demonstration map contains. */
export type DemoMap = {
  readonly categories: readonly Category[];
  readonly places: readonly DemoPlace[];
  readonly lists: readonly List[];
  readonly happenings: readonly Happening[];
};

export const demoMap = async (nowMs: number): Promise<DemoMap> => {
  const places = distinct([...(await airportPlaces()), ...(await cityPlaces())]);
  return { categories, places, lists: listsOf(places), happenings: happeningsAt(places, nowMs) };
};
