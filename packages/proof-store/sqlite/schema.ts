/** The version of the tables. A file of another version is replaced by an empty one. */
export const schemaVersion = 1;

/** `tile`: nodes of an account's tree, see `TileKey`; `page`: the places of a stream's events; `roots`: see `checkpoint-roots.ts`. */
export const tables = `
  CREATE TABLE reached (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    incarnation TEXT NOT NULL,
    position INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE tile (
    account TEXT NOT NULL,
    level INTEGER NOT NULL,
    number INTEGER NOT NULL,
    hashes BLOB NOT NULL,
    leaves TEXT NOT NULL,
    UNIQUE (account, level, number)
  ) STRICT;
  CREATE TABLE page (
    account TEXT NOT NULL,
    stream TEXT NOT NULL,
    number INTEGER NOT NULL,
    places TEXT NOT NULL,
    PRIMARY KEY (account, stream, number)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE checkpoint (
    sequence INTEGER PRIMARY KEY,
    origin TEXT NOT NULL,
    number INTEGER NOT NULL,
    note TEXT NOT NULL,
    announces INTEGER NOT NULL,
    incarnation TEXT NOT NULL,
    through INTEGER NOT NULL,
    base INTEGER NOT NULL,
    accounts INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    milestone INTEGER NOT NULL,
    UNIQUE (origin, number)
  ) STRICT;
  CREATE INDEX checkpoint_milestone ON checkpoint (sequence) WHERE milestone;
  CREATE TABLE roots (
    sequence INTEGER NOT NULL,
    number INTEGER NOT NULL,
    roots TEXT NOT NULL,
    UNIQUE (sequence, number)
  ) STRICT;`;

export const tableNames: readonly string[] = ['reached', 'tile', 'page', 'checkpoint', 'roots'];
