import { readSettings } from '@waymark/runtime/settings.ts';
import { operatorSettings } from './settings.ts';

const key = (letter: string): string => letter.repeat(40);

const environment = {
  WAYMARK_EVENTSTORE_URL: 'esdb://localhost:2113?tls=false',
  WAYMARK_KAFKA_BROKERS: 'localhost:9092',
  WAYMARK_MONGODB_URL: 'mongodb://localhost',
  WAYMARK_REDIS_URL: 'redis://localhost',
  WAYMARK_MEDIA_URL: 's3+http://localhost/media',
  WAYMARK_PUBLIC_URL: 'http://localhost:8080',
  WAYMARK_SIGNING_KEY: key('s'),
  WAYMARK_REQUEST_ID_KEY: key('r'),
  WAYMARK_OPS_TOKEN: `${key('o')},${key('p')}`,
  WAYMARK_STATUS_TOKEN: key('t'),
};

describe('the operator token', () => {
  it('differs from the status token, which every process has', () => {
    expect(readSettings(operatorSettings, environment)).toMatchObject({ WAYMARK_STATUS_TOKEN: key('t') });
    expect(() => readSettings(operatorSettings, { ...environment, WAYMARK_STATUS_TOKEN: `${key('t')},${key('p')}` })).toThrow(
      'WAYMARK_STATUS_TOKEN: must differ from WAYMARK_OPS_TOKEN',
    );
  });
});
