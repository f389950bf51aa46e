import { resourceOfStream, resourceStream } from '@waymark/domain/streams.ts';
import type { Database } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { HistoryEntry } from '../entries.ts';
import type { LastState, Lookup } from '../projection/change.ts';

type LastRow = [account: string, revision: number, present: 0 | 1, origins: string];

/** The lookups of the projection. They cache what the events of a batch need again and again. */
export type CachedLookup = {
  readonly lookup: Lookup;
  /** Takes note of an entry that was written. */
  readonly entered: (entry: HistoryEntry) => void;
  /** Discards the cache, because what was written is rolled back. */
  readonly discard: () => void;
};

/** Objects and accounts whose last state is cached. */
const cachedMax = 2_000;

/** Creates the lookups of the projection. */
export const sqliteLookup = (db: Database): CachedLookup => {
  const states = new LRUCache<string, LastState>({ max: cachedMax });
  const clocks = new LRUCache<string, number>({ max: cachedMax });
  const lastOf = db
    .prepare<[string], LastRow>(
      'SELECT account, revision, present, origins FROM entry WHERE stream = (SELECT ?) ORDER BY revision DESC LIMIT 1',
    )
    .raw();
  const clockOf = db.prepare<[string], number>('SELECT clock FROM entry WHERE account = (SELECT ?) ORDER BY clock DESC LIMIT 1').pluck();
  const valueAt = db
    .prepare<[string, string, number], string | null>('SELECT value -> ? FROM entry WHERE stream = ? AND revision = ?')
    .pluck();
  const positionAt = db.prepare<[string, number], number>('SELECT position FROM entry WHERE stream = ? AND revision = ?').pluck();
  const listsOf = db.prepare<[number], number>('SELECT list FROM member WHERE pinpoint = (SELECT ?) ORDER BY list').pluck();
  const member = db.prepare<[number, number], 1>('SELECT 1 FROM member WHERE pinpoint = ? AND list = ?').pluck();
  const openPlace = db.prepare<[string], string>('SELECT within FROM interval WHERE item_stream = ? AND until IS NULL').pluck();

  const read = (stream: string): LastState | undefined => {
    const row = lastOf.get(stream);
    if (row === undefined) return undefined;
    const [account, revision, present, origins] = row;
    return { account, revision, present: present === 1, origins: JSON.parse(origins) };
  };
  const last = (stream: string): LastState | undefined => {
    const known = states.get(stream) ?? read(stream);
    if (known) states.set(stream, known);
    return known;
  };
  const lookup: Lookup = {
    last,
    clockMs: (account) => clocks.get(account) ?? clockOf.get(account) ?? 0,
    values: (stream, names) => {
      const { origins = {} } = last(stream) ?? {};
      return Object.fromEntries(
        names.flatMap((name) => {
          const value = origins[name] === undefined ? undefined : valueAt.get(`$.${name}`, stream, origins[name]);
          return value ? [[name, JSON.parse(value)]] : [];
        }),
      );
    },
    lists: (pinpoint) => listsOf.all(pinpoint),
    isMember: (list, pinpoint) => member.get(pinpoint, list) === 1,
    place: (happening) => resourceOfStream(openPlace.get(resourceStream('happening', happening)) ?? '')?.id,
    positionOf: (stream, revision) => positionAt.get(stream, revision),
  };
  return {
    lookup,
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
