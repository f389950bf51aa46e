import type { EventWithoutContent, RecordedEvent } from '@waymark/domain/event.ts';
import type Database from 'better-sqlite3';
import type { LogState, Position, Revision } from '../event-log.ts';
import { hasInstallation, openReader } from './schema.ts';

/** Reads the log over one connection, each time in one short transaction. */
export type LogReader = {
  readonly read: (stream: string, from: number, limit: number) => RecordedEvent[];
  /** Returns fewer events than the limit where they are large; none only at the head. */
  readonly after: (position: Position, limit: number) => RecordedEvent[];
  /** Returns the same events a few at a time, and reads them only then. */
  readonly partsAfter: (position: Position, limit: number) => Iterable<readonly RecordedEvent[]>;
  /** Returns the next events without what they contain: fewer than the limit only at the head. */
  readonly envelopesAfter: (position: Position, limit: number) => EventWithoutContent[];
  readonly last: (streams: readonly string[]) => Revision[];
  readonly owners: (streams: readonly string[]) => (string | undefined)[];
  readonly state: () => LogState;
};

/** The number of characters of content from which on a batch gets no more rows, however many events were requested. It bounds the memory of a batch. */
const batchCharactersMax = 8_000_000;

/** The rows of a batch that are read at once, in less time than one after the other. So a batch may pass its characters by this many contents: by a few
 * megabytes, as long as they are of requests of this release. */
const rowsTogether = 16;

const columns = 'position, stream, revision, envelope, salt, content';

// `= (select ?)` and `limit ? + 0`: with plain parameters, SQLite plans these statements again each time they run.
export const createLogReader = (db: Database.Database): LogReader => {
  const ofStream = db.prepare<[string, number, number], Row>(
    `select ${columns} from event where stream = (select ?) and revision >= ? order by revision limit ? + 0`,
  );
  const ofAll = db.prepare<[number, number], Row>(`select ${columns} from event where position > ? order by position limit ? + 0`);
  const envelopes = db.prepare<[number, number], Beginning>(
    'select position, stream, revision, envelope from event where position > ? order by position limit ? + 0',
  );
  const lastOf = db
    .prepare<[string], number>('select revision from event where stream = (select ?) order by revision desc limit 1')
    .pluck();
  const ownerOf = db
    .prepare<[string], string>("select envelope ->> '$.account' from event where stream = (select ?) order by revision desc limit 1")
    .pluck();
  const installation = hasInstallation(db) ? 'installation' : "''";
  const state = db
    .prepare<[], [string, string, number]>(`select incarnation, ${installation}, (select ifnull(max(position), 0) from event) from log`)
    .raw();
  ofStream.raw();
  ofAll.raw();
  envelopes.raw();
  const partsAfter = (position: Position, limit: number) => parts((after, rows) => ofAll.all(after, rows), position, limit);
  return {
    read: (stream, from, limit) => ofStream.all(stream, from, limit).map(recorded),
    after: (position, limit) => [...partsAfter(position, limit)].flat(),
    partsAfter,
    envelopesAfter: (position, limit) => envelopes.all(position, limit).map(withoutContent),
    last: db.transaction((streams: readonly string[]) => streams.map((stream) => lastOf.get(stream) ?? 'none')),
    owners: db.transaction((streams: readonly string[]) => streams.map((stream) => ownerOf.get(stream))),
    state: () => {
      const [incarnation, installation, head] = state.get() as [string, string, number];
      return { incarnation, installation, head };
    },
  };
};

type Beginning = [position: number, stream: string, revision: number, envelope: string];
type Row = [...Beginning, salt: string | null, content: string | null];

const withoutContent = ([position, stream, revision, envelope]: Beginning | Row): EventWithoutContent => ({
  stream,
  revision,
  position,
  envelope: JSON.parse(envelope),
});

const recorded = (row: Row): RecordedEvent => {
  const [, , , , salt, content] = row;
  return { ...withoutContent(row), salt, content };
};

/** Reads the next events: fewer than the limit at the head of the log, and where their contents have the characters of a batch. */
function* parts(next: (position: Position, limit: number) => readonly Row[], after: Position, limit: number): Generator<RecordedEvent[]> {
  let [last, left, characters] = [after, limit, 0];
  while (left > 0 && characters < batchCharactersMax) {
    const asked = Math.min(rowsTogether, left);
    const events = next(last, asked).map(recorded);
    yield events;
    if (events.length < asked) return;
    last = events.at(-1)?.position ?? last;
    left -= asked;
    for (const { content } of events) characters += content?.length ?? 0;
  }
}

/** A connection that only reads, and its reader. */
export type OpenLogReader = { readonly reader: LogReader; readonly close: () => void };

export const openLogReader = (file: string): OpenLogReader => {
  const db = openReader(file);
  return { reader: createLogReader(db), close: () => void db.close() };
};
