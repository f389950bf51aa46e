import { applicationStream, isApplicationId, type ResourceKind, resourceStream } from '@waymark/domain/streams.ts';
import type { ActivityFilter } from '../history.ts';

const kinds: Readonly<Record<string, ResourceKind>> = { pinpoints: 'pinpoint', lists: 'list', categories: 'category', events: 'happening' };

/** Returns the stream of an object that is named as in the paths of the API; undefined if it names nothing. */
export const streamNamed = (kind: string, id: string): string | undefined => {
  if (kind === 'applications') return isApplicationId(id) ? applicationStream(id) : undefined;
  const number = /^[1-9]\d{0,15}$/.test(id) ? Number(id) : Number.NaN;
  return Object.hasOwn(kinds, kind) && Number.isSafeInteger(number) ? resourceStream(kinds[kind] as ResourceKind, number) : undefined;
};

/** Returns the streams that a filter by resource means: `pinpoints`, or `pinpoints/12`. Undefined if it names nothing. */
export const streamsNamed = (resource: string): Pick<ActivityFilter, 'stream' | 'streams'> | undefined => {
  const [kind = '', ...id] = resource.split('/');
  if (id.length > 0) {
    const stream = streamNamed(kind, id.join('/'));
    return stream === undefined ? undefined : { stream };
  }
  if (kind === 'applications') return { streams: applicationStream('') };
  return Object.hasOwn(kinds, kind) ? { streams: `${kinds[kind]}-` } : undefined;
};
