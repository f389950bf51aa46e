import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { PageQuery } from '@waymark/domain/pages.ts';
import { resourceKinds } from '@waymark/domain/streams.ts';
import { replannedStatements } from '@waymark/event-log/testing/replanned.ts';
import SQLite, { type Database } from 'better-sqlite3';
import { pageBytesMax } from '../page-size.ts';
import { projectEvents } from '../projection/projection.ts';
import { listsPerPinpointMax } from '../read-models.ts';
import {
  added,
  happeningCreated,
  happeningMoved,
  listCreated,
  mine,
  numbers,
  pinpointCreated,
  pinpointDeleted,
  pinpointRestored,
  removed,
} from '../testing/facts.ts';
import { at, recorder } from '../testing/recorder.ts';
import { rebuilt, temporaryFiles } from '../testing/temporary-files.ts';
import { sqliteApply } from './apply.ts';
import { sqliteMembership } from './membership.ts';
import { createPages } from './pages.ts';
import { sqliteApplication, sqliteApplications, sqliteFind, sqlitePosition } from './reads.ts';
import { sqliteWrites } from './writes.ts';

const newFile = temporaryFiles();
const { record } = recorder();
const [first, second] = [record(mine, pinpointCreated(1)), record(mine, pinpointCreated(2))];

/** Creates a complete file, and a connection to it that records its statements. */
const observed = async (...events: readonly RecordedEvent[]) => {
  const file = newFile();
  await rebuilt(file, events, 10);
  const run: string[] = [];
  return { db: new SQLite(file, { verbose: (sql) => run.push(String(sql)) }), run };
};

/** Returns the steps of a statement's plan that read more than necessary. */
const slowSteps = (db: Database, sql: string): string[] => {
  const plan = db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all();
  // These are not tables: json_each over the requested ids, the row around an EXISTS, and the rows that were already counted.
  const steps = plan.map(({ detail }) => detail).filter((detail) => !/^SCAN (asked|CONSTANT ROW|\(subquery)/.test(detail));
  return steps.filter((step) => /^SCAN|TEMP B-TREE|AUTOMATIC/.test(step)).map((step) => `${sql}: ${step}`);
};

describe('the statements of SQLite read models', () => {
  it('read by an index, without a sort or a scan', async () => {
    const { db, run } = await observed(record(mine, listCreated(1)), first, record(mine, added(1, 1)));
    db.exec(`UPDATE pinpoint SET lists = ${listsPerPinpointMax}`);
    const [page, find] = [createPages(db), sqliteFind(db)];
    const query = { account: mine, from: 5, limit: 20 };
    for (const direction of ['forward', 'backward'] as const) {
      for (const kind of resourceKinds) page({ ...query, kind, direction, within: null });
      for (const kind of ['pinpoint', 'happening'] as const) page({ ...query, kind, direction, within: 1 });
    }
    for (const kind of resourceKinds) find(kind, 1);
    sqliteMembership(db)(1, [1]);
    sqliteApplications(db)('', 10);
    sqlitePosition(db)(0);
    const statements = run.filter((sql) => /^\s*SELECT/.test(sql));
    expect(statements).toHaveLength(24 + 4 + 4 + 2);
    expect(statements.flatMap((sql) => slowSteps(db, sql))).toEqual([]);
    db.close();
  });

  it('read a small page with one statement, and of a large page nothing beyond the texts in which it becomes full', async () => {
    const { db, run } = await observed(...numbers(1, 200).map((id) => record(mine, pinpointCreated(id))));
    const page = createPages(db);
    const limitsOf = (limit: number): string[] => {
      run.length = 0;
      page({ kind: 'pinpoint', account: mine, within: null, direction: 'forward', from: 0, limit });
      return run.map((sql) => /LIMIT (\d+)/.exec(sql)?.[1] ?? sql);
    };
    expect(limitsOf(20)).toEqual(['21']);
    expect(limitsOf(150)).toEqual(['BEGIN', '23', '64', '64', 'COMMIT']);
    db.exec(`UPDATE pinpoint SET text = '"' || hex(zeroblob(${pageBytesMax / 40})) || '"'`);
    expect(limitsOf(500)).toEqual(['BEGIN', '23', 'COMMIT']);
    db.exec(`UPDATE pinpoint SET text = '"' || hex(zeroblob(1000)) || '"' WHERE id < 24`);
    expect(limitsOf(500)).toEqual(['BEGIN', '23', '64', 'COMMIT']);
    db.close();
  });

  it('keep their plans when they run', async () => {
    const file = newFile();
    await rebuilt(file, [first], 10);
    const makers = [createPages, sqliteFind, sqliteMembership, sqliteApplication, sqliteApplications, sqlitePosition, sqliteWrites];
    for (const prepare of makers) expect(replannedStatements(file, prepare)).toEqual([]);
    expect(replannedStatements(file, (db) => sqliteApply(db, projectEvents(sqliteWrites(db))))).toEqual([]);
  });

  it('write by an index, without a scan', async () => {
    const { db, run } = await observed(first);
    const apply = sqliteApply(db, projectEvents(sqliteWrites(db)));
    const facts = [
      listCreated(1),
      added(1, 1),
      happeningCreated(1, 1),
      happeningMoved(1, 2),
      removed(1, 1),
      pinpointDeleted(1),
      pinpointRestored(1),
    ];
    apply(
      0,
      first.position,
      facts.map((fact) => record(mine, fact)),
      { ...at(second), position: second.position + 100 },
    );
    const statements = run.filter((sql) => /^\s*(UPDATE|DELETE)/.test(sql));
    expect(statements.length).toBeGreaterThan(8);
    expect(statements.flatMap((sql) => slowSteps(db, sql))).toEqual([]);
    db.close();
  });

  it('read a page of one owner with a single range, and at most one query of the other side', async () => {
    const { db, run } = await observed(first);
    const page = createPages(db);
    const query: PageQuery = { kind: 'pinpoint', account: mine, within: null, direction: 'forward', from: 0, limit: 20 };
    run.length = 0;
    page(query);
    expect(run).toHaveLength(1);
    page({ ...query, from: 1 });
    expect(run.filter((sql) => sql.startsWith('SELECT'))).toHaveLength(3);
    db.close();
  });
});
