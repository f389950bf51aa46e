import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { historyContract } from '../contract/history.ts';
import { ownHistory } from '../testing/mongodb.ts';

describeOn(['mongodb'], 'with MongoDB', () => {
  const database = ownHistory();
  historyContract('MongoDB', { open: database.underTest, runs: Number(process.env['WAYMARK_PROPERTY_RUNS'] ?? 5) });
});
