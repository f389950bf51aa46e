/** The positions in a block of the index of events. Ids of events are random: without blocks, each new event would change another page. A block takes
 * about 25 pages, which is what a batch of events changes of it. */
export const blockPositions = 4_096;

/** The condition of the index of the places where happenings are: a happening that was often moved has many stays, of which one goes on. */
export const isOpenStay = "until IS NULL AND item_stream >= 'happening-' AND item_stream < 'happening.'";

/** The tables of a history. `stream_key` and `event_key` are numbers that are derived from names: an index of the names would take as long to
 * write as all else. `correlation` is null where it is the event's own id. Small columns come first: reading them never touches a long value's
 * overflow pages. A span sums up the intervals of a set in a block of ids: when the first one began, when the last one that has ended did so, and
 * how many go on. */
export const tables = `
  CREATE TABLE reached (
    partition INTEGER PRIMARY KEY,
    incarnation TEXT NOT NULL,
    position INTEGER NOT NULL,
    event TEXT NOT NULL
  ) STRICT;
  CREATE TABLE account (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE entry (
    position INTEGER PRIMARY KEY,
    account INTEGER NOT NULL,
    stream TEXT NOT NULL,
    revision INTEGER NOT NULL,
    clock INTEGER NOT NULL,
    present INTEGER NOT NULL,
    moved REAL,
    origins TEXT NOT NULL,
    stream_key INTEGER NOT NULL,
    event_key INTEGER NOT NULL,
    event TEXT NOT NULL,
    type TEXT NOT NULL,
    time TEXT NOT NULL,
    actor TEXT NOT NULL,
    request TEXT,
    correlation TEXT,
    cause TEXT,
    value TEXT
  ) STRICT;
  CREATE INDEX entry_of ON entry (stream_key, revision);
  CREATE INDEX entry_at ON entry (account, clock);
  CREATE INDEX entry_event ON entry (position / ${blockPositions}, event_key);
  CREATE INDEX entry_correlated ON entry (correlation, clock) WHERE correlation IS NOT NULL;
  CREATE TABLE interval (
    within TEXT NOT NULL,
    item INTEGER NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER,
    item_stream TEXT,
    PRIMARY KEY (within, item, since)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX interval_of ON interval (item_stream, within, since) WHERE item_stream IS NOT NULL;
  CREATE INDEX interval_stay ON interval (item_stream) WHERE ${isOpenStay};
  CREATE TABLE span (
    within TEXT NOT NULL,
    size INTEGER NOT NULL,
    block INTEGER NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    open INTEGER NOT NULL,
    PRIMARY KEY (within, size, block)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE member (
    pinpoint INTEGER NOT NULL,
    list INTEGER NOT NULL,
    PRIMARY KEY (pinpoint, list)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX member_of ON member (list, pinpoint);
  CREATE TABLE relation_change (
    stream TEXT NOT NULL,
    position INTEGER NOT NULL,
    other TEXT NOT NULL,
    began INTEGER NOT NULL,
    PRIMARY KEY (stream, position, other)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE mark (
    stream TEXT PRIMARY KEY,
    before INTEGER NOT NULL,
    first INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    position INTEGER NOT NULL,
    clean INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX mark_unclean ON mark (stream) WHERE NOT clean;`;
