import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import { historyContract } from '../contract/history.ts';
import { dump } from '../testing/dump.ts';
import { openSqliteHistory } from './history.ts';

const newFile = temporaryFiles();

historyContract('SQLite', {
  runs: 40,
  open: async () => {
    const file = newFile();
    const history = openSqliteHistory(file);
    return { ...history, dump: async () => dump(file), close: async () => history.close() };
  },
});
