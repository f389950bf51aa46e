import type { NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { allocatorStream, type Numbered } from '@waymark/domain/streams.ts';
import type { HighestIds } from './facts/facts.ts';
import { seal } from './seal.ts';
import type { LogReader } from './sqlite/reader.ts';

/** Content of `IdsReserved`: all ids up to this one are reserved. Stored: never rename. */
type StoredReservation = { readonly through: number };

const toStored = (last: number): StoredReservation => ({ through: last });

/** What stands in an allocator's stream: that the ids up to this one are taken.
 * @param id of the event, fixed before the first try to append */
export const reservation = (id: string, through: number): NewEvent =>
  seal({
    id,
    type: 'IdsReserved',
    version: 1,
    content: JSON.stringify(toStored(through)),
    account: '',
    origin: { actor: 'waymark', token: null, request: null },
    sanitized: false,
  });

/** The last id that the last event of an allocator's stream has reserved. */
export const reservedBy = ({ content }: Pick<RecordedEvent, 'content'>): number =>
  content === null ? 0 : (JSON.parse(content) as StoredReservation).through;

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
