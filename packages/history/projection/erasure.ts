import type { DomainEvent } from '@waymark/domain/event.ts';
import type { HistoryEntry } from '../entries.ts';
import type { HistoryChange, Lookup } from './change.ts';

/** Returns the mark of the erasure that an event completes. */
export const erasureMark = (entry: HistoryEntry, says: DomainEvent | undefined, lookup: Lookup): readonly HistoryChange[] => {
  if (says === undefined || !('summary' in says)) return [];
  const { stream, revision, position } = entry;
  const before = 'restatedFrom' in says ? says.restatedFrom : revision;
  const from = before === revision ? position : (lookup.positionOf(stream, before) ?? position);
  return [{ type: 'erased', mark: { stream, before, from, revision, position } }];
};
