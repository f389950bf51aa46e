import { applicationStream, type ResourceKind, resourceStream } from '@waymark/domain/streams.ts';
import { type Call, idOf } from '@waymark/http/call.ts';
import { notFound } from '@waymark/http/errors.ts';

const kinds: Readonly<Record<string, ResourceKind>> = { pinpoints: 'pinpoint', lists: 'list', categories: 'category', events: 'happening' };

/** The characters of an application's id. */
const applicationId = /^[\w-]{1,64}$/;

/** Returns the stream of the object that a path names.
 * @throws HttpError 404 */
export const streamOf = (call: Pick<Call, 'parameters'>): string => {
  const { kind = '', id = '' } = call.parameters;
  if (Object.hasOwn(kinds, kind)) return resourceStream(kinds[kind] as ResourceKind, idOf(call));
  if (kind !== 'applications' || !applicationId.test(id)) throw notFound();
  return applicationStream(id);
};
