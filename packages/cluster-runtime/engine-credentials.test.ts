import { pino } from 'pino';
import { enginesWithoutCredentials, warnOfEngines } from './engine-credentials.ts';

const open = {
  WAYMARK_EVENTSTORE_URL: 'esdb://127.0.0.1:2113?tls=false',
  WAYMARK_MONGODB_URL: 'mongodb://a:27017,b:27017/?replicaSet=x',
  WAYMARK_REDIS_URL: 'redis://127.0.0.1:6379/1',
  WAYMARK_KAFKA_BROKERS: '127.0.0.1:9092',
  WAYMARK_KAFKA_USERNAME: '',
  WAYMARK_MEDIA_URL: 'gridfs+mongodb://127.0.0.1:27017/media',
};
const all = ['the event store', 'Kafka', 'MongoDB', 'Redis', 'the media store'];

describe('engines without credentials', () => {
  it('are listed', () => {
    expect(enginesWithoutCredentials(open)).toEqual(all);
  });

  it('are only those that a process uses', () => {
    expect(enginesWithoutCredentials({ WAYMARK_REDIS_URL: open.WAYMARK_REDIS_URL })).toEqual(['Redis']);
  });

  it.each([
    ['the event store', { WAYMARK_EVENTSTORE_URL: 'esdb://user:hush@host:2113?tls=true' }],
    ['the event store', { WAYMARK_EVENTSTORE_URL: 'esdb+discover://user:hush@one:2113,two:2113' }],
    ['MongoDB', { WAYMARK_MONGODB_URL: 'mongodb://user:hush@a:27017,b:27017/x?tls=true' }],
    ['MongoDB', { WAYMARK_MONGODB_URL: 'mongodb://a/?authMechanism=MONGODB-X509' }],
    ['Redis', { WAYMARK_REDIS_URL: 'rediss://:hush@host:6379' }],
    ['Kafka', { WAYMARK_KAFKA_USERNAME: 'user' }],
    ['Kafka', { WAYMARK_KAFKA_CERTIFICATE: 'PEM' }],
    ['the media store', { WAYMARK_MEDIA_URL: 's3+https://key:hush@host/bucket' }],
    ['the media store', { WAYMARK_MEDIA_URL: 's3+https://host/bucket' }],
    ['the media store', { WAYMARK_MEDIA_URL: 'gridfs+mongodb://user:hush@host/media' }],
  ])('are not %s with %j', (name, settings) => {
    expect(enginesWithoutCredentials({ ...open, ...settings })).toEqual(all.filter((one) => one !== name));
  });

  it('include an event store without TLS, even with a user name, and a Redis user without a password', () => {
    expect(enginesWithoutCredentials({ WAYMARK_EVENTSTORE_URL: 'esdb://user:hush@host:2113?tls=false' })).toEqual(['the event store']);
    expect(enginesWithoutCredentials({ WAYMARK_REDIS_URL: 'redis://user@host' })).toEqual(['Redis']);
  });

  it('are logged in one warning, without any part of the URLs', () => {
    const lines: string[] = [];
    warnOfEngines(open, pino({}, { write: (line: string) => void lines.push(line) }));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 40, engines: all });
    expect(lines[0]).not.toContain('127.0.0.1');
  });
});
