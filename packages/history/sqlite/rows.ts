import { resourceKinds, resourceOfStream } from '@waymark/domain/streams.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { ErasureMark, HistoryEntry } from '../entries.ts';
import { accountName } from './accounts.ts';

type RowOf<Account> = [
  position: number,
  account: Account,
  stream: string,
  revision: number,
  clockMs: number,
  present: 0 | 1,
  movedMetres: number | null,
  origins: string,
  streamKey: number,
  eventKey: number,
  event: string,
  type: string,
  time: string,
  actor: string,
  request: string | null,
  correlation: string | null,
  cause: string | null,
];

/** The row of an entry as it is read, with the name of its account. */
export type EntryRow = RowOf<string>;

/** The row of an entry as it is written, with the number of its account. */
export type WrittenRow = RowOf<number>;

const columnsWith = (account: string): string =>
  `position, ${account}, stream, revision, clock, present, moved, origins, stream_key, event_key, event, type, time, actor, request, correlation, cause`;

export const entryColumns = columnsWith(accountName);

export const writtenColumns = columnsWith('account');

/** Returns the row of an entry.
 * @param account the number of its account
 * @param origins its origins, as JSON */
export const toRow = (entry: HistoryEntry, account: number, origins: string): WrittenRow => [
  entry.position,
  account,
  entry.stream,
  entry.revision,
  entry.clockMs,
  entry.present ? 1 : 0,
  entry.movedMetres,
  origins,
  streamKey(entry.stream),
  eventKey(entry.event),
  entry.event,
  entry.type,
  entry.time,
  entry.actor,
  entry.request,
  entry.correlation === entry.event ? null : entry.correlation,
  entry.cause,
];

/** Returns the entry of a row.
 * @param mark the last erasure of its stream */
export const fromRow = (row: EntryRow, mark: Pick<ErasureMark, 'revision'> | undefined): HistoryEntry => {
  const [position, account, stream, revision, clockMs, present, moved, origins, , , event, type, time, actor, request, correlation, cause] =
    row;
  const isErased = mark !== undefined && revision < mark.revision;
  return {
    position,
    account,
    stream,
    revision,
    event,
    type,
    time,
    clockMs,
    actor,
    request,
    correlation: correlation ?? event,
    cause,
    present: present === 1,
    movedMetres: isErased ? null : moved,
    origins: isErased ? {} : JSON.parse(origins),
  };
};

/** Returns a number that few streams share: the id of a numbered object with its kind, or a part of another stream's name. */
const streamKey = (stream: string): number => {
  const numbered = resourceOfStream(stream);
  if (numbered === undefined) return -(Number.parseInt(stream.slice(-12), 16) || 0);
  return numbered.id * resourceKinds.length + resourceKinds.indexOf(numbered.resource);
};

/** The condition that a row is of a stream, for the parameters of `byStream`. */
export const isOfStream = 'stream_key = (SELECT ?) AND stream = (SELECT ?)';

export type StreamParameters = [key: number, stream: string];

export const byStream = (stream: string): StreamParameters => [streamKey(stream), stream];

/** Returns the number that the first eight hex digits of an event's id are: few events share one. */
export const eventKey = (event: string): number => Number.parseInt(event.slice(0, 8), 16) || 0;

export type MarkRow = [stream: string, before: number, first: Position, revision: number, position: Position];

export const markColumns = 'stream, before, first, revision, position';

export const toMark = ([stream, before, from, revision, position]: MarkRow): ErasureMark => ({ stream, before, from, revision, position });
