import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { distanceMetres } from '../comparison/distance.ts';
import type { HistoryEntry, LastState, Values } from '../entries.ts';
import type { Lookup } from './change.ts';
import { type SetValues, valuesOf } from './values.ts';

/** Returns the entry of an event, and the values that the event set.
 * @param says the content; undefined if it was erased
 * @param before the state before the event; undefined if there was none */
export const entryOf = (
  { stream, revision, position, envelope }: RecordedEvent,
  says: DomainEvent | undefined,
  before: LastState | undefined,
  lookup: Lookup,
) => {
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
    movedMetres: before !== undefined && set && !envelope.type.endsWith('Redacted') ? metresMoved(stream, set, lookup) : null,
    present: isPresentAfter(envelope.type, says, before),
    origins: set ? originsAfter(set, revision, before) : (before?.origins ?? {}),
  };
  return { entry, values: set ? set.values : null };
};

const originsAfter = ({ fields, isWhole }: SetValues, revision: number, before: LastState | undefined): Origins => {
  if (revision === 0) return originsOfNew(fields);
  const origins: Record<string, number> = isWhole ? {} : { ...before?.origins };
  for (const name of fields) origins[name] = revision;
  return origins;
};

type Origins = LastState['origins'];

/** The origins of the last new object. Objects that are created one after the other often have the same fields: they share their origins, which saves
 * a twentieth of the work for such an event. */
let latestNew: { readonly fields: readonly string[]; readonly origins: Origins } = { fields: [], origins: {} };

const originsOfNew = (fields: readonly string[]): Origins => {
  const isSame = fields.length === latestNew.fields.length && fields.every((name, nth) => name === latestNew.fields[nth]);
  if (!isSame) latestNew = { fields, origins: Object.fromEntries(fields.map((name) => [name, 0])) };
  return latestNew.origins;
};

/** Returns how far an event moved its object; null where it did not, or where the old place is not known. */
const metresMoved = (stream: string, { fields, values }: SetValues, lookup: Lookup): number | null => {
  if (!coordinates.some((name) => fields.includes(name))) return null;
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
