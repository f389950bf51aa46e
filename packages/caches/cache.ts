import { LRUCache } from 'lru-cache';

/** Returns a cache of the most recently used values, at most `max`. An empty cache takes no memory: the library's own `max` would allocate the
 * whole capacity at once.
 * @param ttl how long a value is kept, in milliseconds; by default, for as long as there is room */
export const createCache = <Key extends NonNullable<unknown>, Value extends NonNullable<unknown>>(
  max: number,
  { ttl = 0 }: { readonly ttl?: number } = {},
): LRUCache<Key, Value> => new LRUCache({ maxSize: max, sizeCalculation: () => 1, ttl });
