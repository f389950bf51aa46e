import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { type Document, MongoClient } from 'mongodb';
import { numbers } from '../../testing/facts.ts';
import { wipe } from '../../testing/mongodb.ts';
import { beginning } from '../../testing/recorder.ts';
import { namespaceIn } from '../namespace.ts';
import { openMongoReadSide, type Step } from '../read-side.ts';
import { createWriters } from './writers.ts';

/** Less than the minute after which the server itself ends open transactions. */
const soonMs = 30_000;

describeOn(['mongodb'], 'a writer to MongoDB that was killed within a transaction', () => {
  const database = ownName('writers');
  let client: MongoClient;
  beforeAll(() => {
    client = new MongoClient(urlOf('mongodb'));
  });
  afterAll(async () => {
    await client.close();
    await wipe(database);
  });

  it('does not block the next writer', async () => {
    const side = openMongoReadSide({ url: urlOf('mongodb'), database });
    const name = await side.generations.begin();
    const generation = side.generation(name);
    const steps = (after: number, position: number): Step[] =>
      numbers(0, partitionsOfCluster - 1).map((partition) => ({ partition, after, events: [], to: { ...beginning, position } }));
    await generation.applyTogether(steps(0, 0));

    const session = client.startSession();
    const db = client.db(database);
    await createWriters(namespaceIn(db)).note(session);
    session.startTransaction();
    await db.collection<Document>(`${name}.position`).updateMany({}, { $set: { position: 7 } }, { session });
    const startedMs = performance.now();
    let done = false;
    while (!done && performance.now() - startedMs < soonMs) done = await generation.applyTogether(steps(0, 1)).catch(() => false);
    expect(done).toBe(true);
    expect((await generation.positions()).map((reached) => reached?.position)).toEqual(numbers(0, partitionsOfCluster - 1).map(() => 1));
    await session.endSession();
    await side.close();
  });
});
