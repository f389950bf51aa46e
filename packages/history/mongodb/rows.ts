import type { ErasureMark, HistoryEntry, Interval, LastState, Values } from '../entries.ts';
import { type EntryRow, entryId, goesOn, type IntervalRow, type MarkRow, type StateRow } from './collections.ts';

export const entryRow = (entry: HistoryEntry, values: Values | null): EntryRow => {
  const { _id, fields, chosen } = keysOf(entry);
  return {
    _id,
    position: entry.position,
    account: entry.account,
    stream: entry.stream,
    revision: entry.revision,
    clock: entry.clockMs,
    present: entry.present,
    moved: entry.movedMetres,
    origins: JSON.stringify(entry.origins),
    fields,
    event: entry.event,
    type: entry.type,
    time: entry.time,
    actor: entry.actor,
    request: entry.request,
    correlation: entry.correlation,
    chosen,
    cause: entry.cause,
    value: values && JSON.stringify(values),
  };
};

/** Returns the columns that rows are only searched by. The other columns determine them. */
const keysOf = ({ stream, revision, origins, event, correlation }: KeySource): Pick<EntryRow, '_id' | 'fields' | 'chosen'> => ({
  _id: entryId(stream, revision),
  fields: Object.keys(origins).filter((name) => origins[name] === revision),
  chosen: correlation === event ? null : correlation,
});

type KeySource = Pick<HistoryEntry, 'stream' | 'revision' | 'origins' | 'event' | 'correlation'>;

/** Returns whether searches find a row by what its other columns say. False if its origins are damaged. */
export const hasOwnKeys = ({ _id, fields, chosen, ...row }: EntryRow): boolean => {
  try {
    const own = keysOf({ ...row, origins: JSON.parse(row.origins) });
    return JSON.stringify([own._id, own.fields, own.chosen]) === JSON.stringify([_id, fields, chosen]);
  } catch {
    return false;
  }
};

/** Returns the entry of a row.
 * @param mark the last erasure of its stream */
export const entryOf = (row: Omit<EntryRow, 'value'>, mark: Pick<ErasureMark, 'revision'> | undefined): HistoryEntry => ({
  position: row.position,
  account: row.account,
  stream: row.stream,
  revision: row.revision,
  event: row.event,
  type: row.type,
  time: row.time,
  clockMs: row.clock,
  actor: row.actor,
  request: row.request,
  correlation: row.correlation,
  cause: row.cause,
  present: row.present,
  movedMetres: mark && row.revision < mark.revision ? null : row.moved,
  origins: mark && row.revision < mark.revision ? {} : JSON.parse(row.origins),
});

/** @param mark the last erasure of its stream */
export const stateOf = ({ account, revision, present, origins }: StateRow, mark: Pick<ErasureMark, 'revision'> | undefined): LastState => ({
  account,
  revision,
  present,
  origins: mark && revision < mark.revision ? {} : JSON.parse(origins),
});

export const intervalOf = ({ within: set, item, since, until }: IntervalRow): Interval => ({
  set,
  item,
  since,
  until: until === goesOn ? null : until,
});

export const markRow = ({ stream, before, from, revision, position }: ErasureMark): MarkRow => ({
  _id: stream,
  before,
  first: from,
  revision,
  position,
  clean: false,
});

export const markOf = ({ _id: stream, before, first: from, revision, position }: MarkRow): ErasureMark => ({
  stream,
  before,
  from,
  revision,
  position,
});
