import { factsStoreContract } from '@waymark/event-log/contract/facts-store.ts';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { ReadModelsUnavailable } from '../read-models.ts';
import { ownDatabase } from '../testing/mongodb.ts';
import { openMongoReadSide } from './read-side.ts';

describeOn(['mongodb'], 'facts of a log in MongoDB', () => {
  const database = ownDatabase();

  factsStoreContract(async () => {
    const rows = database.client().db(database.name).collection<{ readonly _id: string }>('facts');
    await rows.deleteMany({});
    const put = async (text: unknown) => void (await rows.replaceOne({ _id: 'facts' }, { text }, { upsert: true }));
    return { ...database.readSide().facts, forge: put, damage: () => put({ $ne: 1, no: 'text' }) };
  });
});

describe('facts of a log in an unavailable MongoDB', () => {
  it('can be neither read nor written', async () => {
    const side = openMongoReadSide({ url: 'mongodb://127.0.0.1:1/?replicaSet=none', database: 'none' });
    await expect(side.facts.read()).rejects.toThrow(ReadModelsUnavailable);
    await expect(side.facts.replace(undefined, 'facts')).rejects.toThrow(ReadModelsUnavailable);
    await side.close();
  });
});
