import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { applyAll, recorder } from '@waymark/read-models/testing/recorder.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import SQLite from 'better-sqlite3';
import { historyContract } from '../contract/history.ts';
import { HistoryUnavailable } from '../history.ts';
import { dump } from '../testing/dump.ts';
import { openSqliteHistory } from './history.ts';

const newFile = temporaryFiles();

historyContract('SQLite', {
  runs: 40,
  open: async () => {
    const file = newFile();
    const history = openSqliteHistory(file);
    return { ...history, dump: async () => dump(file), close: history.close };
  },
});

describe('a history in a file', () => {
  it('is not clean while another connection keeps erased values in the write-ahead log', async () => {
    const { record } = recorder();
    const [created, redacted] = [sampleEvents.PinpointCreated, sampleEvents.PinpointRedacted].map((event) =>
      record(sampleEvents.PinpointCreated.account, event),
    );
    const file = newFile();
    const history = openSqliteHistory(file);
    await applyAll(history.apply, created && redacted ? [created, redacted] : []);
    const other = new SQLite(file, { readonly: true });
    other.exec('BEGIN');
    other.prepare('SELECT count(*) FROM entry').get();
    const cleanAll = async (): Promise<void> => {
      while (await history.clean());
    };
    await expect(cleanAll()).rejects.toThrow(HistoryUnavailable);
    expect(other.prepare('SELECT clean FROM mark').pluck().all()).toEqual([0]);
    other.close();
    await cleanAll();
    const checked = new SQLite(file, { readonly: true });
    expect(checked.prepare('SELECT clean FROM mark').pluck().all()).toEqual([1]);
    checked.close();
    await history.close();
    await expect(history.clean()).rejects.toThrow(HistoryUnavailable);
  });
});
