import { randomUUID } from 'node:crypto';
import type { Api } from '../client/api.ts';
import { seedInFlight } from '../limits.ts';
import { imageOf } from './categories.ts';
import { type ApiObject, addMembers, create, everyOf } from './content.ts';
import type { Counts } from './counts.ts';
import type { DemoMap } from './map.ts';
import { type DemoPlace, keyOf } from './places.ts';

/** Creates what the map lacks, in the order in which objects refer to each other. */
export const fill = async (api: Api, map: DemoMap, onDone: () => void): Promise<Counts> => {
  const ensure = createMissingItems(api, onDone);
  const categories = await ensure('/categories', map.categories, {
    key: ({ name }) => name,
    keyOfThing: ({ name }) => String(name),
    body: async (category) => ({ name: category.name, image_file: await imageOf(category) }),
  });
  const pinpoints = await ensure('/pinpoints', map.places, {
    key: keyOf,
    keyOfThing: (thing) => keyOf(thing as ApiObject & DemoPlace),
    body: ({ lists: _, category, ...fields }) => ({ ...fields, category: categories.ids.get(category) }),
  });
  const lists = await ensure('/lists', map.lists, {
    key: ({ name }) => name,
    keyOfThing: ({ name }) => String(name),
    body: ({ name, description }) => ({ name, description }),
  });
  const idOf = (place: DemoPlace): number => pinpoints.ids.get(keyOf(place)) ?? 0;
  await inFlight(map.lists, ({ name, places }) => addMembers(api, lists.ids.get(name) ?? 0, places.map(idOf)));
  const events = await ensure('/events', map.happenings, {
    key: ({ name, place }) => `${name} ${idOf(place)}`,
    keyOfThing: ({ name, pinpoint }) => `${name} ${pinpoint}`,
    body: ({ place, ...fields }) => ({ ...fields, pinpoint: idOf(place) }),
  });
  return { categories: categories.count, pinpoints: pinpoints.count, lists: lists.count, events: events.count };
};

type How<Item> = {
  /** The key of an item, which `keyOfThing` also derives from the API's object. */
  readonly key: (item: Item) => string;
  readonly keyOfThing: (thing: ApiObject) => string;
  readonly body: (item: Item) => object | Promise<object>;
};

/** Creates the items that a collection does not have yet. Returns the ids of all items. */
const createMissingItems = (api: Api, onDone: () => void) => {
  // The key belongs to this run only, so that an object that was deleted after an earlier run is created again.
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

/** Does the work for every item, `seedInFlight` items at a time. */
const inFlight = async <Item>(items: readonly Item[], work: (item: Item, index: number) => Promise<void>): Promise<void> => {
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) await work(item, index);
  };
  await Promise.all(Array.from({ length: seedInFlight }, worker));
};
