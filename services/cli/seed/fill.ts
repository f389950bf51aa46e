import { randomUUID } from 'node:crypto';
import type { Api } from '../client/api.ts';
import { seedInFlight } from '../limits.ts';
import { imageOf } from './categories.ts';
import { addMembers, create, everyOf, type Thing } from './content.ts';
import type { Counts } from './counts.ts';
import type { DemoMap } from './map.ts';
import { keyOf, type Place } from './places.ts';

/** Makes what is missing of the map, in the order in which one thing needs another. */
export const fill = async (api: Api, map: DemoMap, onDone: () => void): Promise<Counts> => {
  const ensure = ensurerOf(api, onDone);
  const categories = await ensure('/categories', map.categories, {
    key: ({ name }) => name,
    keyOfThing: ({ name }) => String(name),
    body: async (category) => ({ name: category.name, image_file: await imageOf(category) }),
  });
  const pinpoints = await ensure('/pinpoints', map.places, {
    key: keyOf,
    keyOfThing: (thing) => keyOf(thing as Thing & Place),
    body: ({ lists: _, category, ...fields }) => ({ ...fields, category: categories.ids.get(category) }),
  });
  const lists = await ensure('/lists', map.lists, {
    key: ({ name }) => name,
    keyOfThing: ({ name }) => String(name),
    body: ({ name, description }) => ({ name, description }),
  });
  const idOf = (place: Place): number => pinpoints.ids.get(keyOf(place)) ?? 0;
  await inFlight(map.lists, ({ name, places }) => addMembers(api, lists.ids.get(name) ?? 0, places.map(idOf)));
  const events = await ensure('/events', map.happenings, {
    key: ({ name, place }) => `${name} ${idOf(place)}`,
    keyOfThing: ({ name, pinpoint }) => `${name} ${pinpoint}`,
    body: ({ place, ...fields }) => ({ ...fields, pinpoint: idOf(place) }),
  });
  return { categories: categories.count, pinpoints: pinpoints.count, lists: lists.count, events: events.count };
};

type How<Item> = {
  /** What an item is known by here, and in the API's answers. */
  readonly key: (item: Item) => string;
  readonly keyOfThing: (thing: Thing) => string;
  readonly body: (item: Item) => object | Promise<object>;
};

/** Creates those items that a collection does not hold yet; the ids of all. */
const ensurerOf = (api: Api, onDone: () => void) => {
  // Of this run alone: what somebody has deleted since an earlier one is made anew.
  const run = randomUUID();
  return async <Item>(collection: string, items: readonly Item[], { key, keyOfThing, body }: How<Item>) => {
    const ids = new Map<string, number>();
    for await (const thing of everyOf(api, collection)) ids.set(keyOfThing(thing), thing.id);
    const missing = items.filter((item) => !ids.has(key(item)));
    for (let there = items.length - missing.length; there > 0; there -= 1) onDone();
    await inFlight(missing, async (item, index) => {
      const { id } = await create(api, collection, await body(item), `seed-${run}-${collection.slice(1)}-${index}`);
      ids.set(key(item), id);
      onDone();
    });
    return { ids, count: { there: items.length, made: missing.length } };
  };
};

/** Does something with every item, a few at a time. */
const inFlight = async <Item>(items: readonly Item[], work: (item: Item, index: number) => Promise<void>): Promise<void> => {
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) await work(item, index);
  };
  await Promise.all(Array.from({ length: seedInFlight }, worker));
};
