import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { readModelsContract } from '../contract/read-models.ts';
import { createDocumentCache } from '../document-cache.ts';
import { ownDatabase, underTest } from '../testing/mongodb.ts';

describeOn(['mongodb'], 'on MongoDB with a cache', () => {
  const database = ownDatabase();

  readModelsContract('MongoDB with a cache', {
    runs: Number(process.env['WAYMARK_PROPERTY_RUNS'] ?? 5),
    open: async () => {
      const models = await underTest(database);
      return { ...models, ...createDocumentCache(models, { partitions: 1 }) };
    },
  });
});
