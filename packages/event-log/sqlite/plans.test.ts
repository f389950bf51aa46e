import { replannedStatements } from '../testing/replanned.ts';
import { temporaryLogs } from '../testing/temporary-logs.ts';
import { prepareAppends } from './appends.ts';
import { createLogReader } from './reader.ts';
import { openWriter } from './schema.ts';

const { file: newFile } = temporaryLogs();

const madeFile = (): string => {
  const file = newFile();
  openWriter(file).close();
  return file;
};

describe('the statements of the event log', () => {
  it('keep their plans when they run', () => {
    const file = madeFile();
    expect(replannedStatements(file, createLogReader)).toEqual([]);
    expect(replannedStatements(file, prepareAppends)).toEqual([]);
  });

  it('would lose their plans with a plain parameter beside an order, or as a limit', () => {
    const replanned = [
      'select revision from event where stream = ? order by revision desc limit 1',
      'select max(revision) from event where stream = ?',
      'select position from event where position > ? order by position limit ?',
    ];
    const kept = ['select revision from event where stream = ? and revision = ?'];
    expect(replannedStatements(madeFile(), (db) => [...replanned, ...kept].map((sql) => db.prepare(sql)))).toEqual(replanned);
  });
});
