import type { OpenLog } from './appends.ts';

/** How many rows one step overwrites. The limit keeps appends from waiting long. */
const dropRowsMax = 500;

/** Overwrites salt and content of some more events that a stream has before a revision.
 * @returns whether there may be more of them */
export const dropStep = ({ db }: OpenLog, stream: string, before: number): boolean => {
  const drop = db.prepare<[string, number, number]>(`
    update event set salt = null, content = null
    where position in (
      select position from event where stream = ? and revision < ? and (salt is not null or content is not null) limit ?
    )`);
  return drop.run(stream, before, dropRowsMax).changes === dropRowsMax;
};

/** Moves all that was committed into the file, and leaves nothing in the write-ahead log.
 * @returns false where a reader blocks it */
export const emptyWal = ({ db }: OpenLog): boolean => {
  const waitMs = db.pragma('busy_timeout', { simple: true });
  db.pragma('busy_timeout = 0'); // appends must not wait
  try {
    const [checkpoint] = db.pragma('wal_checkpoint(TRUNCATE)') as { readonly busy: 0 | 1 }[];
    return checkpoint?.busy === 0;
  } finally {
    db.pragma(`busy_timeout = ${waitMs}`);
  }
};
