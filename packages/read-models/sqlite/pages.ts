import type { Page, PageQuery } from '@waymark/domain/pages.ts';
import { byResourceKind, type ResourceKind } from '@waymark/domain/streams.ts';
import type { Database, Statement } from 'better-sqlite3';
import { createPageSize, pageTextsFirst } from '../page-size.ts';

/** The range that a page walks over: all shown items of one owner, in the order of an index. CROSS JOIN makes SQLite keep the written join
 * order. */
type Range = {
  readonly rows: string;
  /** The join that is added only where texts are read. */
  readonly texts: string;
  /** The condition on the owner. Its parameters are the account, and `within` where there is one. The owner's own row is read first. */
  readonly owner: string;
  readonly item: ResourceKind | 'member';
  readonly id: string;
};

const ofAccount = (kind: ResourceKind): Range => ({
  rows: kind,
  texts: '',
  owner: 'account = (SELECT ?)',
  item: kind,
  id: `${kind}.id`,
});

const ofList: Range = {
  rows: 'list CROSS JOIN member ON member.list = list.id',
  texts: 'CROSS JOIN pinpoint ON pinpoint.id = member.pinpoint',
  owner: 'list.account = (SELECT ?) AND list.id = (SELECT ?) AND list.shown',
  item: 'member',
  id: 'member.pinpoint',
};

const ofPinpoint: Range = {
  rows: 'pinpoint CROSS JOIN happening ON happening.pinpoint = pinpoint.id',
  texts: '',
  owner: 'pinpoint.account = (SELECT ?) AND pinpoint.id = (SELECT ?) AND pinpoint.shown',
  item: 'happening',
  id: 'happening.id',
};

// `= (SELECT ?)` and `LIMIT ? + 0`: with plain parameters, SQLite plans a statement again each time it runs.

const itemsSql = ({ rows, texts, owner, item, id }: Range, beyond: '>' | '<', order: 'ASC' | 'DESC'): string => {
  const text = item === 'member' ? 'pinpoint.text' : `${item}.text`;
  const shown = `${owner} AND ${item}.shown AND ${id} ${beyond} ?`;
  return `SELECT ${id}, ${text} FROM ${rows} ${texts} WHERE ${shown} ORDER BY ${id} ${order} LIMIT ? + 0`;
};

const anySql = ({ rows, owner, item, id }: Range, beyond: '>=' | '<='): string =>
  `SELECT EXISTS (SELECT 1 FROM ${rows} WHERE ${owner} AND ${item}.shown AND ${id} ${beyond} ?)`;

type ItemRow = [id: number, text: string];

/** Prepares the statements of a range for each direction: one reads the items, one checks the other side. */
const statements = (db: Database, range: Range) => ({
  forward: {
    items: db.prepare<(string | number)[], ItemRow>(itemsSql(range, '>', 'ASC')).raw(),
    behind: db.prepare<(string | number)[], 0 | 1>(anySql(range, '<=')).pluck(),
  },
  backward: {
    items: db.prepare<(string | number)[], ItemRow>(itemsSql(range, '<', 'DESC')).raw(),
    behind: db.prepare<(string | number)[], 0 | 1>(anySql(range, '>=')).pluck(),
  },
});

const nothing: Page = { items: [], before: false, after: false };

const item = ([id, text]: ItemRow) => ({ id, text });

type Items = Statement<(string | number)[], ItemRow>;

/** Reads from an id on until the page is full. `more`: further items follow. */
const gather = (items: Items, owner: readonly (string | number)[], { from, limit }: PageQuery): { rows: ItemRow[]; more: boolean } => {
  const size = createPageSize();
  const rows: ItemRow[] = [];
  for (;;) {
    const wanted = Math.min(limit + 1 - rows.length, size.together());
    const batch = items.all(...owner, rows.at(-1)?.[0] ?? from, wanted);
    for (const row of batch) {
      if (rows.length === limit || !size.fits(row[1])) return { rows, more: true };
      rows.push(row);
    }
    if (batch.length < wanted) return { rows, more: false };
  }
};

/** Creates a function that reads pages. All statements are prepared here, once. */
export const createPages = (db: Database): ((query: PageQuery) => Page) => {
  const all = byResourceKind((kind) => statements(db, ofAccount(kind)));
  const filtered = { pinpoint: statements(db, ofList), happening: statements(db, ofPinpoint) };

  const read = (query: PageQuery): Page => {
    const { kind, account, direction, from } = query;
    const owner = query.within === null ? [account] : [account, query.within];
    const range = query.within === null ? all[kind] : kind === 'pinpoint' || kind === 'happening' ? filtered[kind] : undefined;
    if (!range) return nothing;
    const { rows, more } = gather(range[direction].items, owner, query);
    const behind = isStart(query) ? false : range[direction].behind.get(...owner, from) === 1;
    if (direction === 'forward') return { items: rows.map(item), before: behind, after: more };
    return { items: rows.reverse().map(item), before: more, after: behind };
  };
  const snapshot = db.transaction(read);
  return (query) => (isStart(query) && query.limit < pageTextsFirst ? read(query) : snapshot(query));
};

/** Returns whether no item can come before the start: ids are positive. */
const isStart = ({ direction, from }: PageQuery): boolean => direction === 'forward' && from <= 0;
