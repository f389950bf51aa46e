import { describeOn } from '@waymark/engines/engines.ts';
import { cachedReadModels } from './cached.ts';
import { readModelsContract } from './contract.ts';
import { ownDatabase, underTest } from './testing/mongodb.ts';
import { applyAll } from './testing/recorder.ts';

describeOn(['mongodb'], 'on MongoDB with a cache', () => {
  const database = ownDatabase();

  readModelsContract('MongoDB with a cache', {
    open: async () => {
      const models = await underTest(database);
      return { ...models, ...cachedReadModels(models, { partitions: 1 }) };
    },
    rebuild: async (events, batch) => {
      const { name, models } = await database.fresh();
      await applyAll(models.apply, events, [batch]);
      return database.rows(name);
    },
  });
});
