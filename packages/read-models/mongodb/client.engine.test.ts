import { createFaultProxy } from '@waymark/test-engines/fault-proxy.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { MongoNetworkError, MongoServerError } from 'mongodb';
import { ReadModelsUnavailable, TransactionTooLarge } from '../read-models.ts';
import { orUnavailable } from './client.ts';
import { openMongoReadSide } from './read-side.ts';

describe('a failed use of MongoDB', () => {
  const failing = (error: Error) => orUnavailable(() => Promise.reject(error));

  it.each([
    ['a connection that ends during a write', Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' })],
    ['a connection that is cut', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })],
    ['the driver', new MongoNetworkError('connection closed')],
    ['a timeout', new DOMException('The operation was aborted due to timeout', 'TimeoutError')],
  ])('makes the read models unavailable: %s', async (_, error) => {
    await expect(failing(error)).rejects.toThrow(ReadModelsUnavailable);
  });

  it('shows that a transaction does not fit into the cache', async () => {
    await expect(failing(new MongoServerError({ message: 'too large', code: 388 }))).rejects.toThrow(TransactionTooLarge);
  });

  it('stays as it is where it is a programming error', async () => {
    const mistakes = [new TypeError('x is not a function'), Object.assign(new TypeError('bad'), { code: 'ERR_INVALID_ARG_TYPE' })];
    for (const mistake of mistakes) await expect(failing(mistake)).rejects.toBe(mistake);
  });
});

describeOn(['mongodb'], 'MongoDB read models that are unreachable at first', () => {
  it('are available as soon as MongoDB is', async () => {
    const { hostname, port } = new URL(urlOf('mongodb'));
    const passage = await createFaultProxy({ host: hostname, port: Number(port) });
    const url = `mongodb://127.0.0.1:${passage.port}/?directConnection=true`;
    const side = openMongoReadSide({ url, database: ownName('away') });
    await passage.cut();
    for (let time = 0; time < 2; time += 1) await expect(side.generations.list()).rejects.toThrow(ReadModelsUnavailable);
    await passage.heal();
    await expect(side.generations.list()).resolves.toEqual([]);
    await side.close();
    await expect(side.generations.list()).rejects.toThrow(ReadModelsUnavailable);
    await passage.close();
  });
});
