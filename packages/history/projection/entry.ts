import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import type { HistoryEntry } from '../entries.ts';
import type { LastState, Lookup } from './change.ts';
import { type SetValues, valuesOf } from './values.ts';

/** Returns the entry of an event, and the values that the event set.
 * @param says the content; undefined if it was erased */
export const entryOf = (recorded: RecordedEvent, says: DomainEvent | undefined, lookup: Lookup) => {
  const { stream, revision, position, envelope } = recorded;
  const before = lookup.last(stream);
  const set = says && valuesOf(says, lookup);
  const entry: HistoryEntry = {
    position,
    account: envelope.account,
    stream,
    revision,
    event: envelope.id,
    type: envelope.type,
    time: envelope.time,
    clockMs: Math.max(lookup.clockMs(envelope.account), Date.parse(envelope.time)),
    actor: envelope.actor,
    request: envelope.request,
    correlation: envelope.correlation,
    cause: envelope.cause,
    present: isPresentAfter(envelope.type, says, before),
    origins: set ? originsAfter(set, revision, before) : (before?.origins ?? {}),
  };
  return { entry, values: set ? set.values : null };
};

const originsAfter = ({ fields, isWhole }: SetValues, revision: number, before: LastState | undefined) => {
  const kept = isWhole ? {} : (before?.origins ?? {});
  return fields.length === 0 ? kept : { ...kept, ...Object.fromEntries(fields.map((name) => [name, revision])) };
};

/** Returns whether the object is present after an event. The type alone decides, unless the event restates the object. */
const isPresentAfter = (type: string, says: DomainEvent | undefined, before: LastState | undefined): boolean => {
  if (type.endsWith('Deleted')) return false;
  if (says?.type === 'ApplicationRedacted') return says.status !== 'deleted';
  if (says !== undefined && type.endsWith('Redacted')) return 'fields' in says && says.fields !== null;
  return begins.test(type) || (before?.present ?? true);
};

/** The types of events after which their object is present. */
const begins = /(Created|Restored|Registered|Opened)$/;
