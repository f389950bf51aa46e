import { createCache } from '@waymark/caches/cache.ts';
import type { Database } from 'better-sqlite3';
import type { HistoryEntry, LastState } from '../entries.ts';
import type { Lookup } from '../projection/change.ts';
import { byStream, isOfStream, type StreamParameters } from './rows.ts';

/** The last states of objects and accounts, of which the events of a batch need some again and again. */
export type LastStates = Pick<Lookup, 'last' | 'clockMs'> & {
  /** Takes note of an entry that was written. */
  readonly entered: (entry: HistoryEntry) => void;
  /** Discards what was noted, because what was written is rolled back. */
  readonly discard: () => void;
};

type LastRow = [account: string, revision: number, present: 0 | 1, origins: string];

/** Objects and accounts whose last state is cached. */
const cachedMax = 2_000;

export const sqliteLastStates = (db: Database): LastStates => {
  const states = createCache<string, LastState>(cachedMax);
  const clocks = createCache<string, number>(cachedMax);
  const lastOf = db
    .prepare<StreamParameters, LastRow>(
      `SELECT account, revision, present, origins FROM entry WHERE ${isOfStream} ORDER BY revision DESC LIMIT 1`,
    )
    .raw();
  const clockOf = db.prepare<[string], number>('SELECT clock FROM entry WHERE account = (SELECT ?) ORDER BY clock DESC LIMIT 1').pluck();
  const read = (stream: string): LastState | undefined => {
    const row = lastOf.get(...byStream(stream));
    if (row === undefined) return undefined;
    const [account, revision, present, origins] = row;
    return { account, revision, present: present === 1, origins: JSON.parse(origins) };
  };
  return {
    last: (stream) => {
      const known = states.get(stream) ?? read(stream);
      if (known) states.set(stream, known);
      return known;
    },
    clockMs: (account) => clocks.get(account) ?? clockOf.get(account) ?? 0,
    entered: ({ stream, account, revision, present, origins, clockMs }) => {
      states.set(stream, { account, revision, present, origins });
      clocks.set(account, clockMs);
    },
    discard: () => {
      states.clear();
      clocks.clear();
    },
  };
};
