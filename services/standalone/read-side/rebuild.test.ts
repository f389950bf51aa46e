import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode, eventVersions } from '@waymark/domain/event-types.ts';
import { resourceStream } from '@waymark/domain/streams.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { newEventId, seal } from '@waymark/event-log/seal.ts';
import { openSqliteEventLog, type SqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { openLogReader } from '@waymark/event-log/sqlite/reader.ts';
import { openSqliteReadModels, sqliteRows } from '@waymark/read-models/sqlite/read-models.ts';
import { applyRange } from './apply-log.ts';
import { fillReadSide } from './rebuild.ts';
import { aheadMax } from './rebuild-reader.ts';

jest.setTimeout(60_000);

let root: string;
let log: SqliteEventLog;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'waymark-rebuild-'));
  log = await openSqliteEventLog({ file: join(root, 'log.db') });
});
afterEach(async () => {
  await log.close();
  rmSync(root, { recursive: true });
});

const create = (list: number, description = '', version = eventVersions.ListCreated) => {
  const { ListCreated: created } = sampleEvents;
  const content = encode({ ...created, list, fields: { ...created.fields, description } });
  const origin = { actor: 'app', token: null, request: null };
  const event = seal({ id: newEventId(), type: created.type, version, content, account: created.account, origin, sanitized: false });
  return log.append(resourceStream('list', list), [event], 'none');
};

const fill = (upTo: number | null = null) =>
  fillReadSide({ log: join(root, 'log.db'), file: join(root, 'rebuilt.db'), upTo, memoryBytes: 0 });

/** Returns the rows that the log leaves if it is applied without a rebuild. */
const rowsUpTo = async (through: number): Promise<readonly string[]> => {
  const file = join(root, 'applied.db');
  const models = openSqliteReadModels({ file, mode: 'writer' });
  const { reader, close } = openLogReader(join(root, 'log.db'));
  const { incarnation } = reader.state();
  await models.apply(0, 0, [], { incarnation, position: 0, event: '' });
  await applyRange(models, reader.after, incarnation, { after: 0, through });
  close();
  models.close();
  return [...sqliteRows(file)];
};

describe('a rebuild', () => {
  it('applies the whole log, even where its reader is stopped because it is far ahead', async () => {
    const lists = 2_500;
    const description = 'é'.repeat((2 * aheadMax) / lists);
    await Promise.all(Array.from({ length: lists }, (_, index) => create(index + 1, description)));
    expect(await fill()).toEqual({ events: lists, seconds: expect.any(Number) });
    expect([...sqliteRows(join(root, 'rebuilt.db'))]).toEqual(await rowsUpTo((await log.state()).head));
  });

  it('ends at the position that it is given', async () => {
    for (const list of [1, 2, 3]) await create(list);
    expect(await fill(2)).toMatchObject({ events: 2 });
    expect([...sqliteRows(join(root, 'rebuilt.db'))]).toEqual(await rowsUpTo(2));
  });

  it('of an empty log has a position', async () => {
    expect(await fill()).toMatchObject({ events: 0 });
    expect([...sqliteRows(join(root, 'rebuilt.db'))]).toEqual(await rowsUpTo(0));
  });

  it('fails at an event of a newer release, and leaves no file', async () => {
    await create(1);
    await create(2, '', 99);
    await expect(fill()).rejects.toThrow('ListCreated v99 at position 2 was written by Waymark');
    expect(existsSync(join(root, 'rebuilt.db'))).toBe(false);
  });
});
