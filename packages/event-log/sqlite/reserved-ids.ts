import { allocatorStream, byResourceKind } from '@waymark/domain/streams.ts';
import type { HighestIds } from '../facts/facts.ts';
import { reservedThrough } from '../id-allocator.ts';
import type { LogReader } from './reader.ts';

/** Returns the last id that a log has reserved in each sequence. */
export const readReservedIds = (log: LogReader): HighestIds =>
  byResourceKind((resource) => {
    const stream = allocatorStream(resource);
    const [last = 'none'] = log.last([stream]);
    const [event] = last === 'none' ? [] : log.read(stream, last, 1);
    return event === undefined ? 0 : reservedThrough(event);
  });
