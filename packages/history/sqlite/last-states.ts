import { createCache } from '@waymark/caches/cache.ts';
import type { Database } from 'better-sqlite3';
import type { HistoryEntry, LastState, Values } from '../entries.ts';
import type { Lookup } from '../projection/change.ts';
import { accountName, isOfAccount } from './accounts.ts';
import { byStream, isOfStream, type StreamParameters } from './rows.ts';

/** The last states of objects and accounts, of which the events of a batch need some again and again. */
export type LastStates = Pick<Lookup, 'last' | 'values' | 'clockMs'> & {
  /** Begins a batch. */
  readonly begin: () => void;
  /** Takes note of an entry that was written, with the values that its event set. */
  readonly entered: (entry: HistoryEntry, values: Values | null) => void;
  /** Discards what was noted, because what was written is rolled back. */
  readonly discard: () => void;
};

/** `numbers`: those among the present values that were set or looked up while the object was cached. They are small, and each move of an object
 * needs its coordinates. */
type CachedState = LastState & { readonly numbers: Record<string, number> };

type LastRow = [account: string, revision: number, present: 0 | 1, origins: string];

/** Objects whose last state is cached. */
const cachedMax = 2_000;

export const sqliteLastStates = (db: Database): LastStates => {
  const states = createCache<string, CachedState>(cachedMax);
  // Those of a batch's accounts. A map costs a fraction of a cache, and each event moves one.
  const clocks = new Map<string, number>();
  const lastOf = db
    .prepare<StreamParameters, LastRow>(
      `SELECT ${accountName}, revision, present, origins FROM entry WHERE ${isOfStream} ORDER BY revision DESC LIMIT 1`,
    )
    .raw();
  const clockOf = db.prepare<[string], number>(`SELECT clock FROM entry WHERE ${isOfAccount} ORDER BY clock DESC LIMIT 1`).pluck();
  const valuesAt = db
    .prepare<[...StreamParameters, number], string | null>(`SELECT value FROM entry WHERE ${isOfStream} AND revision = ?`)
    .pluck();

  const read = (stream: string): CachedState | undefined => {
    const row = lastOf.get(...byStream(stream));
    if (row === undefined) return undefined;
    const [account, revision, present, origins] = row;
    return { account, revision, present: present === 1, origins: JSON.parse(origins), numbers: {} };
  };
  const last = (stream: string): CachedState | undefined => {
    const cached = states.get(stream);
    if (cached !== undefined) return cached;
    const found = read(stream);
    if (found !== undefined) states.set(stream, found);
    return found;
  };
  const presentValue = (stream: string, { origins, numbers }: CachedState, name: string): unknown => {
    const [number, revision] = [numbers[name], origins[name]];
    if (number !== undefined || revision === undefined) return number;
    const set: Values = JSON.parse(valuesAt.get(...byStream(stream), revision) ?? '{}');
    noteNumbers(numbers, origins, revision, set);
    return set[name];
  };

  return {
    last,
    values: (stream, names) => {
      const known: Record<string, unknown> = {};
      const state = last(stream);
      if (state === undefined) return known;
      for (const name of names) {
        const value = presentValue(stream, state, name);
        if (value !== undefined) known[name] = value;
      }
      return known;
    },
    clockMs: (account) => clocks.get(account) ?? clockOf.get(account) ?? 0,
    begin: () => clocks.clear(),
    entered: ({ stream, account, revision, present, origins, clockMs }, values) => {
      clocks.set(account, clockMs);
      // Most objects are created and left alone for a while.
      if (revision === 0) return;
      const numbers = stillPresent(states.get(stream), origins);
      noteNumbers(numbers, origins, revision, values ?? {});
      states.set(stream, { account, revision, present, origins, numbers });
    },
    discard: () => states.clear(),
  };
};

type Origins = LastState['origins'];

/** Notes the numbers among the values that a revision set, as far as they are present. */
const noteNumbers = (numbers: Record<string, number>, origins: Origins, revision: number, set: Values): void => {
  for (const name in set) {
    const value = set[name];
    if (typeof value === 'number' && origins[name] === revision) numbers[name] = value;
  }
};

/** Returns the known numbers that are present after an event, too. */
const stillPresent = (before: CachedState | undefined, origins: Origins): Record<string, number> => {
  const numbers: Record<string, number> = {};
  for (const name in before?.numbers) if (origins[name] === before.origins[name]) numbers[name] = before.numbers[name] ?? 0;
  return numbers;
};
