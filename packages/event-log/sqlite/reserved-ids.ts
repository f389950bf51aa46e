import { allocatorStream, type Numbered } from '@waymark/domain/streams.ts';
import type { HighestIds } from '../facts/facts.ts';
import { reservedBy } from '../id-allocator.ts';
import type { LogReader } from './reader.ts';

/** The last id of each sequence that a log has reserved. */
export const reservedIn = (log: LogReader): HighestIds => {
  const highest = (resource: Numbered): number => {
    const stream = allocatorStream(resource);
    const [last = 'none'] = log.last([stream]);
    const [event] = last === 'none' ? [] : log.read(stream, last, 1);
    return event === undefined ? 0 : reservedBy(event);
  };
  return { pinpoint: highest('pinpoint'), list: highest('list'), category: highest('category'), happening: highest('happening') };
};
