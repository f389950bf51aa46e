import { readFileSync } from 'node:fs';
import { ownName } from '@waymark/test-engines/test-engines.ts';
import { MongoServerError } from 'mongodb';
import { ReadModelsUnavailable } from '../read-models.ts';
import { beginning } from '../testing/recorder.ts';
import { createMongoClient } from './client.ts';
import { openMongoReadSide } from './read-side.ts';

/** A server with TLS and users, whose first user the first client creates, and the file of its certificate authority. */
const { WAYMARK_TEST_MONGODB_TLS_URL: url = '', WAYMARK_TEST_CA: file = '' } = process.env;
const left = url && file ? '' : ' (left out: needs WAYMARK_TEST_MONGODB_TLS_URL, WAYMARK_TEST_CA)';

(left ? describe.skip : describe)(`MongoDB read models over TLS, with a user${left}`, () => {
  const database = ownName('tls');
  const ca = left ? '' : readFileSync(file, 'utf8');
  const withUser = left ? new URL('mongodb://nobody') : new URL(url);
  const withoutUser = new URL(withUser);
  withoutUser.username = '';
  withoutUser.password = '';

  beforeAll(async () => {
    const client = createMongoClient({ url: withoutUser.href, ca });
    const user = { createUser: withUser.username, pwd: withUser.password, roles: ['root'] };
    try {
      await client.db('admin').command(user);
    } catch (error) {
      // Another client was the first.
      if (!(error instanceof MongoServerError)) throw error;
    } finally {
      await client.close();
    }
  });

  it('write and read', async () => {
    const side = openMongoReadSide({ url: withUser.href, ca, database });
    await side.ensure();
    const { name, models } = side.generation(await side.generations.begin());
    expect(await models.apply(0, 0, [], beginning)).toBe(true);
    expect(await models.position(0)).toEqual(beginning);
    await side.generations.retire(name);
    await side.close();
  });

  it.each<[string, () => { readonly url: string; readonly ca?: string }]>([
    ['a wrong password', () => ({ url: withUser.href.replace(withUser.password, 'wrong-password'), ca })],
    ['no user', () => ({ url: withoutUser.href, ca })],
    ['an untrusted authority', () => ({ url: withUser.href })],
  ])('are unavailable with %s, and reveal no secret', async (_, connection) => {
    const side = openMongoReadSide({ ...connection(), database });
    const error = await side.generations.begin().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ReadModelsUnavailable);
    expect(JSON.stringify([String(error), error])).not.toMatch(/wrong-password|secret/);
    await side.close();
  });
});
