import type { RecordedEvent } from './event.ts';
import { decode } from './event-types.ts';
import type { StoredFile } from './fields.ts';
import { isHistory } from './streams.ts';

/** Returns the file that an event gave to an object. Returns undefined if it gave none, or if its content was erased.
 * @throws NewerEvent */
export const storedFileOf = (event: RecordedEvent): StoredFile | undefined => {
  const fact = isHistory(event.stream) ? decode(event) : undefined;
  if (fact === undefined || !('fields' in fact) || fact.fields === null) return undefined;
  if ('media' in fact.fields) return fact.fields.media ?? undefined;
  return 'image' in fact.fields ? (fact.fields.image ?? undefined) : undefined;
};
