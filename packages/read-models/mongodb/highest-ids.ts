import { awaitByResourceKind, type ResourceKind } from '@waymark/domain/streams.ts';
import { orUnavailable, timeoutOptions } from './client.ts';
import type { Collections } from './collections.ts';
import { digestMs } from './limits.ts';

/** Returns the highest id of each kind, deleted objects included.
 * @throws ReadModelsUnavailable */
export const mongoHighestIds = (collections: Collections): Promise<Readonly<Record<ResourceKind, number>>> => {
  const highest = async (kind: ResourceKind): Promise<number> => {
    const [last] = await collections[kind]
      .find({}, { sort: { _id: -1 }, limit: 1, projection: { _id: 1 }, ...timeoutOptions(digestMs) })
      .toArray();
    return last?._id ?? 0;
  };
  return orUnavailable(() => awaitByResourceKind(highest));
};
