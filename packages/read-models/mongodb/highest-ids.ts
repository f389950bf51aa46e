import type { Numbered } from '@waymark/domain/streams.ts';
import { guarded, within } from './client.ts';
import type { Collections } from './collections.ts';
import { digestMs } from './limits.ts';

/** The highest id of each kind, deleted objects included. @throws ReadModelsUnavailable */
export const mongoHighestIds = (collections: Collections): Promise<Readonly<Record<Numbered, number>>> => {
  const highest = async (kind: Numbered): Promise<number> => {
    const [last] = await collections[kind].find({}, { sort: { _id: -1 }, limit: 1, projection: { _id: 1 }, ...within(digestMs) }).toArray();
    return last?._id ?? 0;
  };
  return guarded(async () => {
    const [pinpoint, list, category, happening] = await Promise.all([
      highest('pinpoint'),
      highest('list'),
      highest('category'),
      highest('happening'),
    ]);
    return { pinpoint, list, category, happening };
  });
};
