import type { Position } from '@waymark/event-log/event-log.ts';
import type { Database } from 'better-sqlite3';
import type { HistoryEntry } from '../entries.ts';
import type { Activity, ActivityFilter, ActivityQuery, HistoryReads, LaterActivity } from '../history.ts';
import { mergedActivity } from '../merged-activity.ts';
import { isOfAccount } from './accounts.ts';
import type { PositionOf } from './positions.ts';
import { type EntryRow, entryColumns } from './rows.ts';

type PlaceRow = [clockMs: number, position: Position];

/** A condition in SQL, and its parameters. */
type Condition = readonly [sql: string, parameters: readonly (string | number)[]];

/** Statements that are kept: two for each combination of filters. */
const statementsMax = 64;

/** Creates `HistoryReads.activity`. It first finds the last of the entries that it may compare, in an index alone, and then compares those. The
 * position may be another account's, whose clock says nothing of this one's. */
export const sqliteActivity = (
  db: Database,
  toEntry: (row: EntryRow) => HistoryEntry,
  positionOf: PositionOf,
): HistoryReads['activity'] => {
  const clockAt = clockOf(db);
  const { end, rows } = statementsOf(db);
  const read = (account: string, [sql, parameters]: Condition, query: ActivityQuery): Activity => {
    const { before, sinceMs, untilMs, entries: limit, reads } = query;
    const latest = Math.min(clockAt.get(before, account) ?? Number.MAX_SAFE_INTEGER, untilMs ?? Number.MAX_SAFE_INTEGER);
    const places = [...parameters, latest, before, before];
    const last = end(sql).get(...places, sinceMs, reads - 1);
    const [condition, values] = conditionOf(query.filter);
    const found = rows(sql, condition).all(...places, ...(last ?? [sinceMs, 0]), ...values, limit);
    const entries = found.map(toEntry);
    return { entries, next: (entries.length === limit ? entries.at(-1)?.position : last?.[1]) ?? null };
  };
  return async (account, query): Promise<Activity> => {
    const { correlation } = query.filter;
    if (correlation === undefined) return read(account, [isOfAccount, [account]], query);
    // An event that belongs to no operation is its own correlation. It is not in the index of correlations.
    const others = read(account, [`correlation = (SELECT ?) AND +${isOfAccount}`, [correlation, account]], query);
    const self = `position = (SELECT ?) AND correlation IS NULL AND ${isOfAccount}`;
    const own = read(account, [self, [positionOf(correlation) ?? 0, account]], query);
    return mergedActivity(others, own.entries, query.entries);
  };
};

/** Creates `HistoryReads.laterActivity`, in the same way in the other direction. `+position`: only the index of accounts is searched. */
export const sqliteLaterActivity = (
  db: Database,
  toEntry: (row: EntryRow) => HistoryEntry,
  newest: (account: string) => Position | undefined,
): HistoryReads['laterActivity'] => {
  const clockAt = clockOf(db);
  const prepared = keptStatements(db);
  const source = `${isOfAccount} AND clock >= ? AND clock <= ? AND +position > ?`;
  const order = 'ORDER BY clock, position';
  return async (account, { after, sinceMs, untilMs, filter, entries: limit, reads }): Promise<LaterActivity> => {
    const head = Math.max(after, newest(account) ?? 0);
    if (head === after) return { entries: [], through: after, isEnd: true };
    const first = Math.max(sinceMs, clockAt.get(after, account) ?? 0);
    const places = [account, first, untilMs ?? Number.MAX_SAFE_INTEGER, after];
    const sql = `SELECT clock, position FROM entry WHERE ${source} ${order} LIMIT 1 OFFSET ? + 0`;
    const last = prepared<(string | number)[], PlaceRow>(sql).get(...places, reads - 1)?.[1];
    const [condition, values] = conditionOf(filter, 'ifnull(correlation, event) = ?');
    const rows = prepared<(string | number)[], EntryRow>(
      `SELECT ${entryColumns} FROM entry WHERE ${source} AND +position <= ? ${condition} ${order} LIMIT ? + 0`,
    );
    const entries = rows.all(...places, last ?? head, ...values, limit).map(toEntry);
    if (entries.length === limit) return { entries, through: entries.at(-1)?.position ?? after, isEnd: false };
    return { entries, through: last ?? head, isEnd: last === undefined };
  };
};

/** Prepares the query of the clock of an account at a position that is its own. */
const clockOf = (db: Database) =>
  db.prepare<[Position, string], number>(`SELECT clock FROM entry WHERE position = ? AND ${isOfAccount}`).pluck();

const statementsOf = (db: Database) => {
  const prepared = keptStatements(db);
  const order = 'ORDER BY clock DESC, position DESC';
  // `+position`: the index is searched by clock and position together.
  const isBefore = '(clock, position) < (?, ?) AND +position < ?';
  return {
    end: (source: string) =>
      prepared<(string | number)[], PlaceRow>(
        `SELECT clock, position FROM entry WHERE ${source} AND ${isBefore} AND clock >= ? ${order} LIMIT 1 OFFSET ? + 0`,
      ),
    rows: (source: string, condition: string) =>
      prepared<(string | number)[], EntryRow>(
        `SELECT ${entryColumns} FROM entry WHERE ${source} AND ${isBefore} AND (clock, position) >= (?, ?) ${condition}
          ${order} LIMIT ? + 0`,
      ),
  };
};

/** Returns the function that prepares statements, and keeps the last ones. */
const keptStatements = (db: Database) => {
  const kept = new Map<string, ReturnType<Database['prepare']>>();
  return <Parameters extends unknown[], Row>(sql: string) => {
    const statement = kept.get(sql) ?? db.prepare(sql).raw();
    if (kept.size >= statementsMax) kept.clear();
    kept.set(sql, statement);
    return statement as ReturnType<typeof db.prepare<Parameters, Row>>;
  };
};

/** @param ofCorrelation the condition on the correlation, where it is not the source of the entries */
const conditionOf = (filter: ActivityFilter, ofCorrelation?: string): Condition => {
  const { stream, streams, actor, types, correlation, requests, field, movedMetres } = filter;
  const conditions: Condition[] = [];
  if (ofCorrelation !== undefined && correlation !== undefined) conditions.push([ofCorrelation, [correlation]]);
  if (stream !== undefined) conditions.push(['stream = ?', [stream]]);
  if (streams !== undefined) conditions.push(['stream >= ? AND stream < ?', [streams, `${streams}\uffff`]]);
  if (actor !== undefined) conditions.push(['actor = ?', [actor]]);
  if (types !== undefined) conditions.push([`type IN (${listOf(types)})`, types]);
  if (requests !== undefined) conditions.push([`request IN (${listOf(requests)})`, requests]);
  if (field !== undefined) conditions.push(["origins ->> ('$.' || ?) = revision", [field]]);
  if (movedMetres !== undefined) conditions.push(['moved > ?', [movedMetres]]);
  return [conditions.map(([sql]) => ` AND ${sql}`).join(''), conditions.flatMap(([, parameters]) => [...parameters])];
};

const listOf = (values: readonly string[]): string => values.map(() => '?').join(', ');
