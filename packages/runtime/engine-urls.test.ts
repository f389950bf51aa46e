import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import fc from 'fast-check';
import { eventStoreSettings, mongoSettings, redisSettings, settingsOf } from './common-settings.ts';
import { urlCredentialsOf } from './engine-urls.ts';
import { readSettings, WrongSettings } from './settings.ts';

const [username, password] = ['wáy mark', 'p@ss/w?rd#:%$&'];
const encoded = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;

const names = ['EVENTSTORE', 'MONGODB', 'REDIS', 'MEDIA'].map((engine) => `WAYMARK_${engine}_URL`);
const { faults, complete } = urlCredentialsOf(names);

const directory = mkdtempSync(join(tmpdir(), 'waymark-credentials-'));
afterAll(() => rmSync(directory, { recursive: true }));

describe('Credentials apart from a URL', () => {
  it.each([
    ['EVENTSTORE', 'esdb://one:2113,two:2113?tls=true', 'esdb://USER@one:2113,two:2113?tls=true'],
    ['MONGODB', 'mongodb://one:27017,two:27017/?replicaSet=rs', 'mongodb://USER@one:27017,two:27017/?replicaSet=rs'],
    ['MONGODB', 'mongodb+srv://cluster.example', 'mongodb+srv://USER@cluster.example'],
    ['REDIS', 'rediss://redis:6379/1', 'rediss://USER@redis:6379/1'],
    ['MEDIA', 's3+https://s3.example/bucket/prefix?region=eu', 's3+https://USER@s3.example/bucket/prefix?region=eu'],
    ['MEDIA', 'gridfs+mongodb://mongo:27017/files', 'gridfs+mongodb://USER@mongo:27017/files'],
  ])('are encoded into it: %s %s', (engine, url, expected) => {
    const settings = { [`WAYMARK_${engine}_URL`]: url, [`WAYMARK_${engine}_USERNAME`]: username, [`WAYMARK_${engine}_PASSWORD`]: password };
    expect(faults(settings)).toEqual([]);
    expect(complete(settings)[`WAYMARK_${engine}_URL`]).toBe(expected.replace('USER', encoded));
  });

  it('are found again in it, whatever characters they have', () => {
    const text = fc.string({ unit: 'binary', minLength: 1 });
    const property = fc.property(text, text, (user, secret) => {
      const settings = { WAYMARK_REDIS_URL: 'redis://one:6379/1', WAYMARK_REDIS_USERNAME: user, WAYMARK_REDIS_PASSWORD: secret };
      const url = new URL(complete(settings).WAYMARK_REDIS_URL);
      expect([url.username, url.password].map(decodeURIComponent)).toEqual([user, secret]);
      expect([url.host, url.pathname, url.search, url.hash]).toEqual(['one:6379', '/1', '', '']);
      expect(faults({ WAYMARK_REDIS_URL: url.href, WAYMARK_REDIS_USERNAME: user, WAYMARK_REDIS_PASSWORD: secret })).toHaveLength(1);
    });
    fc.assert(property);
  });

  it('change no URL where there are none', () => {
    const settings = { WAYMARK_MONGODB_URL: 'mongodb://user:secret@one', WAYMARK_MONGODB_USERNAME: '', WAYMARK_MONGODB_PASSWORD: '' };
    expect([faults(settings), complete(settings)]).toEqual([[], settings]);
  });

  it('may lack the user of Redis, and no other one', () => {
    const redis = { WAYMARK_REDIS_URL: 'redis://one', WAYMARK_REDIS_PASSWORD: 'secret' };
    expect(faults(redis)).toEqual([]);
    expect(complete(redis)).toMatchObject({ WAYMARK_REDIS_URL: 'redis://:secret@one' });
    expect(faults({ WAYMARK_MONGODB_URL: 'mongodb://one', WAYMARK_MONGODB_PASSWORD: password })).toEqual([
      'WAYMARK_MONGODB_USERNAME: it must be set with WAYMARK_MONGODB_PASSWORD',
    ]);
  });

  it.each([
    [{ WAYMARK_MONGODB_USERNAME: username }, 'WAYMARK_MONGODB_PASSWORD: it must be set with WAYMARK_MONGODB_USERNAME'],
    [
      { WAYMARK_MONGODB_URL: 'mongodb://user:secret@one', WAYMARK_MONGODB_USERNAME: username, WAYMARK_MONGODB_PASSWORD: password },
      'WAYMARK_MONGODB_URL: it has credentials, so WAYMARK_MONGODB_USERNAME and WAYMARK_MONGODB_PASSWORD must not be set',
    ],
  ])('are refused in part, or twice: %j', (settings, fault) => {
    expect(faults({ WAYMARK_MONGODB_URL: 'mongodb://one', ...settings })).toEqual([fault]);
  });

  it('are read from files, and those of engines that the process does not use are ignored', () => {
    const spec = settingsOf(Type.Object({ ...eventStoreSettings, ...redisSettings }));
    const file = (name: string, content: string): string => {
      writeFileSync(join(directory, name), content);
      return join(directory, name);
    };
    const environment = {
      WAYMARK_EVENTSTORE_URL: 'esdb://one:2113',
      WAYMARK_EVENTSTORE_USERNAME_FILE: file('username', `${username}\n`),
      WAYMARK_EVENTSTORE_PASSWORD_FILE: file('password', password),
      WAYMARK_REDIS_URL: 'redis://:secret@one',
      WAYMARK_MEDIA_USERNAME: 'user',
      WAYMARK_MONGODB_URL: 'mongodb://user:secret@one',
      WAYMARK_MONGODB_PASSWORD: 'secret',
    };
    expect(readSettings(spec, environment)).toMatchObject({
      WAYMARK_EVENTSTORE_URL: `esdb://${encoded}@one:2113`,
      WAYMARK_REDIS_URL: 'redis://:secret@one',
      WAYMARK_MONGODB_URL: 'mongodb://user:secret@one',
    });
  });

  it('that are refused are not quoted', () => {
    const spec = settingsOf(Type.Object(mongoSettings));
    const read = () =>
      readSettings(spec, {
        WAYMARK_MONGODB_URL: 'mongodb://hush-1:hush-2@one',
        WAYMARK_MONGODB_USERNAME: 'hush-3',
        WAYMARK_MONGODB_PASSWORD: 'hush-4',
      });
    expect(read).toThrow(WrongSettings);
    expect(read).toThrow(/must not be set/);
    expect(read).not.toThrow(/hush/);
  });
});
