import { streamNamed } from '@waymark/history/reading/streams.ts';
import type { Call } from '@waymark/http/call.ts';
import { notFound } from '@waymark/http/errors.ts';

/** Returns the stream of the object that a path names.
 * @throws HttpError 404 */
export const streamOf = ({ parameters: { kind = '', id = '' } }: Pick<Call, 'parameters'>): string => {
  const stream = streamNamed(kind, id);
  if (stream === undefined) throw notFound();
  return stream;
};
