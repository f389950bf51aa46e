import { describeOn, ownName, urlOf } from '@waymark/engines/engines.ts';
import { passageTo } from '@waymark/engines/passage.ts';
import { mongodbReadSide } from './mongodb.ts';
import { ReadModelsUnavailable } from './read-models.ts';

jest.setTimeout(60_000);

describeOn(['mongodb'], 'MongoDB read models that cannot be reached at first', () => {
  it('are there as soon as MongoDB is', async () => {
    const { hostname, port } = new URL(urlOf('mongodb'));
    const passage = await passageTo({ host: hostname, port: Number(port) });
    const url = `mongodb://127.0.0.1:${passage.port}/?directConnection=true`;
    const side = mongodbReadSide({ url, database: ownName('away') });
    await passage.cut();
    for (let time = 0; time < 2; time += 1) await expect(side.generations.list()).rejects.toThrow(ReadModelsUnavailable);
    await passage.heal();
    await expect(side.generations.list()).resolves.toEqual([]);
    await side.close();
    await expect(side.generations.list()).rejects.toThrow(ReadModelsUnavailable);
    await passage.close();
  });
});
