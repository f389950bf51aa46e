import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { distanceMetres } from '../comparison/distance.ts';
import type { HistoryEntry, LastState, Values } from '../entries.ts';
import type { Lookup } from './change.ts';
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
    // An event that completes an erasure restates the place: what was before is not known any more.
    movedMetres: set && !envelope.type.endsWith('Redacted') ? metresMoved(stream, set, lookup) : null,
    present: isPresentAfter(envelope.type, says, before),
    origins: set ? originsAfter(set, revision, before) : (before?.origins ?? {}),
  };
  return { entry, values: set ? set.values : null };
};

const originsAfter = ({ fields, isWhole }: SetValues, revision: number, before: LastState | undefined) => {
  const kept = isWhole ? {} : (before?.origins ?? {});
  return fields.length === 0 ? kept : { ...kept, ...Object.fromEntries(fields.map((name) => [name, revision])) };
};

/** Returns how far an event moved its object; null where it did not, or where the old place is not known. */
const metresMoved = (stream: string, { fields, values }: SetValues, lookup: Lookup): number | null => {
  const moved = coordinates.filter((name) => fields.includes(name));
  if (moved.length === 0) return null;
  const before = lookup.values(stream, coordinates);
  const [from, to] = [placeOf(before), placeOf({ ...before, ...values })];
  return from === undefined || to === undefined ? null : distanceMetres(from, to);
};

const coordinates = ['latitude', 'longitude'] as const;

const placeOf = ({ latitude, longitude }: Values) =>
  typeof latitude === 'number' && typeof longitude === 'number' ? { latitude, longitude } : undefined;

/** Returns whether the object is present after an event. The type alone decides, unless the event restates the object. */
const isPresentAfter = (type: string, says: DomainEvent | undefined, before: LastState | undefined): boolean => {
  if (type.endsWith('Deleted')) return false;
  if (says?.type === 'ApplicationRedacted') return says.status !== 'deleted';
  if (says !== undefined && type.endsWith('Redacted')) return 'fields' in says && says.fields !== null;
  return begins.test(type) || (before?.present ?? true);
};

/** The types of events after which their object is present. */
const begins = /(Created|Restored|Registered|Opened)$/;
