import { applyAll } from '@waymark/read-models/testing/recorder.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import SQLite from 'better-sqlite3';
import { counted } from '../testing/counted-statements.ts';
import { largeAccount, pageReadsMax, readPage, widePages } from '../testing/wide-changes.ts';
import { openSqliteHistory } from './history.ts';
import { sqliteReads } from './reads.ts';

const newFile = temporaryFiles();

describe('a page of changes from a SQLite file', () => {
  it('reads few index entries, however large the account is', async () => {
    const file = newFile();
    const history = openSqliteHistory(file);
    const events = largeAccount();
    await applyAll(history.apply, events, [1_000]);
    await history.close();
    const db = new SQLite(file, { readonly: true });
    for (const [what, list, fromEnd] of widePages) {
      const counting = counted(db);
      expect([what, await readPage(sqliteReads(counting.db), events, list, fromEnd)]).toEqual([what, 20]);
      expect([what, counting.reads() <= pageReadsMax]).toEqual([what, true]);
    }
    db.close();
  });
});
