import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { readModelsContract } from '../contract/read-models.ts';
import { ownDatabase, underTest } from '../testing/mongodb.ts';
import { applyAll } from '../testing/recorder.ts';

describeOn(['mongodb'], 'with MongoDB', () => {
  const database = ownDatabase();

  readModelsContract('MongoDB', {
    open: () => underTest(database),
    runs: Number(process.env['WAYMARK_PROPERTY_RUNS'] ?? 5),
    rebuild: async (events, batch) => {
      const { name, models } = await database.fresh();
      await applyAll(models.apply, events, [batch]);
      return database.rows(name);
    },
  });
});
