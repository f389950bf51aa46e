import { applicationStream, type ResourceKind, resourceStream } from '@waymark/domain/streams.ts';
import type { ActivityFilter } from '@waymark/history/history.ts';
import { type Call, idOf } from '@waymark/http/call.ts';
import { notFound } from '@waymark/http/errors.ts';

const kinds: Readonly<Record<string, ResourceKind>> = { pinpoints: 'pinpoint', lists: 'list', categories: 'category', events: 'happening' };

/** The characters of an application's id. */
const applicationId = /^[\w-]{1,64}$/;

/** Returns the streams that a filter by resource means: `pinpoints`, or `pinpoints/12`. Undefined if it names nothing. */
export const streamsOf = (resource: string): Pick<ActivityFilter, 'stream' | 'streams'> | undefined => {
  const [kind = '', id] = resource.split('/', 2);
  if (id === undefined) {
    if (kind === 'applications') return { streams: applicationStream('') };
    return Object.hasOwn(kinds, kind) ? { streams: `${kinds[kind]}-` } : undefined;
  }
  try {
    return { stream: streamOf({ parameters: { kind, id } }) };
  } catch {
    return undefined;
  }
};

/** Returns the stream of the object that a path names.
 * @throws HttpError 404 */
export const streamOf = (call: Pick<Call, 'parameters'>): string => {
  const { kind = '', id = '' } = call.parameters;
  if (Object.hasOwn(kinds, kind)) return resourceStream(kinds[kind] as ResourceKind, idOf(call));
  if (kind !== 'applications' || !applicationId.test(id)) throw notFound();
  return applicationStream(id);
};
