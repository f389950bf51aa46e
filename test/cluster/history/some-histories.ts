import type { Entry, Fact, Read, Result, Write } from './history.ts';
import { judge } from './judge.ts';

/** Hand-made histories of one account: requests with their times, and the facts in the log. */

type Options = Partial<Pick<Entry, 'operation' | 'settled'>>;

export const entry = (startedMs: number, endedMs: number, requested: Write | Read, result: Result, options: Options = {}): Entry => ({
  operation: `r${startedMs}`,
  account: 'a',
  requested,
  startedMs,
  endedMs,
  result,
  ...options,
});

export const createList = (value: string): Write => ({ type: 'create', kind: 'lists', value });
export const editList = (id: number, value: string): Write => ({ type: 'edit', kind: 'lists', id, value });
export const deleteList = (id: number): Write => ({ type: 'delete', kind: 'lists', id });
export const getList = (id: number): Read => ({ type: 'one', kind: 'lists', id });
export const allLists: Read = { type: 'page', kind: 'lists' };
export const done = (id?: number): Result => ({ type: 'done', lag: false, ...(id !== undefined && { id }) });
export const lagging = (id?: number): Result => ({ type: 'done', lag: true, ...(id !== undefined && { id }) });
export const seen = (...objects: readonly (readonly [number, string])[]): Result => ({
  type: 'seen',
  objects: objects.map(([id, value]) => ({ id, value })),
});
export const absent: Result = { type: 'absent' };
export const unavailable: Result = { type: 'unavailable', status: 503, what: '' };
export const lost: Result = { type: 'lost', what: 'socket hang up' };

export const created = (operation: string, id: number, value: string): Fact => ({
  operation,
  change: { type: 'created', kind: 'lists', id, value },
});
export const edited = (operation: string, id: number, value: string): Fact => ({
  operation,
  change: { type: 'edited', kind: 'lists', id, value },
});
export const deleted = (operation: string, id: number): Fact => ({ operation, change: { type: 'deleted', kind: 'lists', id } });
export const pinpointCreated = (operation: string, id: number): Fact => ({
  operation,
  change: { type: 'created', kind: 'pinpoints', id, value: operation },
});
export const added = (operation: string, list: number, ...pinpoints: number[]): Fact => ({
  operation,
  change: { type: 'added', list, pinpoints, refused: [] },
});

type Readers = { readonly twoVersions?: boolean };

const findings = (entries: readonly Entry[], facts: readonly Fact[], readers: Readers = {}): readonly string[] =>
  judge({ entries, facts: new Map([['a', facts]]), ...readers });

export const expectSound = (entries: readonly Entry[], facts: readonly Fact[], readers?: Readers): void =>
  expect(findings(entries, facts, readers)).toEqual([]);
export const expectFault = (words: string, entries: readonly Entry[], facts: readonly Fact[], readers?: Readers): void =>
  expect(findings(entries, facts, readers)).toEqual(expect.arrayContaining([expect.stringContaining(words)]));

/** A list that was created before everything else. */
export const made = entry(0, 1, createList('first'), done(1));
export const fact = created('r0', 1, 'first');
