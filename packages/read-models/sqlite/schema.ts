import { type ResourceKind, resourceKinds } from '@waymark/domain/streams.ts';

/** Small columns come first: reading them never touches a long text's overflow pages. */
const documents = (kind: ResourceKind): string => `
  CREATE TABLE ${kind} (
    id INTEGER PRIMARY KEY,
    account TEXT NOT NULL,
    revision INTEGER NOT NULL,
    shown INTEGER NOT NULL,
    present INTEGER NOT NULL,
    pinpoint INTEGER,
    lists INTEGER NOT NULL DEFAULT 0,
    happenings INTEGER NOT NULL DEFAULT 0,
    file TEXT,
    text TEXT NOT NULL
  ) STRICT;`;

export const tables = `
  CREATE TABLE position (
    partition INTEGER PRIMARY KEY,
    incarnation TEXT NOT NULL,
    position INTEGER NOT NULL,
    event TEXT NOT NULL
  ) STRICT;
  ${resourceKinds.map(documents).join('')}
  CREATE TABLE member (
    pinpoint INTEGER NOT NULL,
    list INTEGER NOT NULL,
    shown INTEGER NOT NULL,
    PRIMARY KEY (pinpoint, list)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE application (id TEXT PRIMARY KEY, document TEXT NOT NULL) STRICT;
  CREATE INDEX happening_at ON happening (pinpoint) WHERE shown;`;

/** The index of the happenings that a restored pinpoint shows again. A file that an earlier release has written gets it when it is opened. */
export const hiddenIndex = 'CREATE INDEX IF NOT EXISTS happening_hidden ON happening (pinpoint) WHERE present AND NOT shown;';

/** The indexes that only pages need, so that a rebuild can create them at its end. They contain only shown items: deleted items cost a page
 * nothing. */
export const pageIndexes = `
  ${resourceKinds.map((kind) => `CREATE INDEX ${kind}_of ON ${kind} (account) WHERE shown;`).join('\n  ')}
  CREATE INDEX member_of ON member (list, pinpoint) WHERE shown;`;
