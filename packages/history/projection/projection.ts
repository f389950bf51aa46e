import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { decode } from '@waymark/domain/event-types.ts';
import { isHistory, resourceOfStream } from '@waymark/domain/streams.ts';
import type { HistoryEntry, LastState } from '../entries.ts';
import { accountSet } from '../sets.ts';
import type { HistoryChange, Lookup } from './change.ts';
import { entryOf } from './entry.ts';
import { erasureMark } from './erasure.ts';
import { relationChanges } from './relations.ts';

/** The version of the history's projection. Raise it with every change that makes other rows from the same log: the history is then built
 * again. */
export const historyVersion = 3;

/** Returns all changes that an event makes in the history; none for housekeeping.
 * @throws NewerEvent */
export const project = (recorded: RecordedEvent, lookup: Lookup): readonly HistoryChange[] => {
  if (!isHistory(recorded.stream)) return [];
  const says: DomainEvent | undefined = decode(recorded);
  // Nothing is known of an object before its first event.
  const before = recorded.revision === 0 ? undefined : lookup.last(recorded.stream);
  const { entry, values } = entryOf(recorded, says, before, lookup);
  return [
    { type: 'entered', entry, values },
    ...presenceChanges(entry, before),
    ...relationChanges(entry, says, before, lookup),
    ...erasureMark(entry, says, lookup),
  ];
};

/** Begins or ends the time during which an object is among those of its account. */
const presenceChanges = (entry: HistoryEntry, before: LastState | undefined): readonly HistoryChange[] => {
  const { position, account, stream, present } = entry;
  const { resource, id: item } = resourceOfStream(stream) ?? {};
  const wasPresent = before?.present ?? false;
  if (resource === undefined || item === undefined || wasPresent === present) return [];
  const set = accountSet(account, resource);
  if (!present) return [{ type: 'ended', interval: { set, item, until: position } }];
  return [{ type: 'began', interval: { set, item, since: position }, of: null }];
};
