import type { ResourceKind } from '@waymark/domain/streams.ts';

/** The names of the kinds of objects in the paths of the API. */
export const collections: Readonly<Record<ResourceKind, string>> = {
  pinpoint: 'pinpoints',
  list: 'lists',
  category: 'categories',
  happening: 'events',
};
