import { replannedStatements } from '@waymark/event-log/testing/replanned.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import { sqliteLastStates } from './last-states.ts';
import { sqliteLookup } from './lookup.ts';
import { openFile } from './open.ts';
import { sqliteReads } from './reads.ts';
import { sqliteWrites } from './writes.ts';

const newFile = temporaryFiles();

describe('the statements of the history', () => {
  it('keep their plans when they run', () => {
    const file = newFile();
    openFile(file).close();
    for (const prepare of [sqliteReads, sqliteWrites, sqliteLastStates]) expect(replannedStatements(file, prepare)).toEqual([]);
    expect(replannedStatements(file, (db) => sqliteLookup(db, sqliteLastStates(db)))).toEqual([]);
  });
});
