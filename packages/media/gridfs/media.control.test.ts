import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { MongoClient } from 'mongodb';
import { mediaFaultsContract } from '../contract/faults.ts';

describeOn(['mongodb', 'control'], 'media in GridFS', () => {
  const databases: string[] = [];
  const newUrl = (): string => {
    const database = ownName('media');
    databases.push(database);
    const url = new URL(urlOf('mongodb'));
    url.pathname = `/${database}`;
    return `gridfs+${url.href}`;
  };
  afterAll(async () => {
    const client = new MongoClient(urlOf('mongodb'));
    for (const database of databases) await client.db(database).dropDatabase();
    await client.close();
  });

  mediaFaultsContract('gridfs', 'mongodb', newUrl);
});
