import { readFileSync } from 'node:fs';
import { describeOn, urlOf } from '@waymark/test-engines/test-engines.ts';
import { BrokerUnavailable } from '../broker.ts';
import { openTopics, startConsumption, until } from '../testing/kafka.ts';
import { someRecords } from '../testing/some-records.ts';

describeOn(['kafka', 'tls', 'kafkaTls', 'kafkaTlsCredentials'], 'records on Kafka over TLS, with a user and a password', () => {
  const topics = openTopics();
  afterEach(() => topics.closed());
  const options = () => {
    const [username = '', password = ''] = urlOf('kafkaTlsCredentials').split(':');
    return {
      brokers: urlOf('kafkaTls').split(','),
      tls: { ca: readFileSync(urlOf('tls'), 'utf8') },
      credentials: { username, password },
    };
  };

  it('are sent, found and consumed, on a topic that was created', async () => {
    const records = await topics.made(options());
    await records.send(someRecords(1, 3));
    expect((await records.last())[1]?.position).toBe(3);
    const consumed = startConsumption(records);
    await until(() => consumed.records.length === 3);
    await consumed.stop();
  });

  it('are rejected where the certificate authority is unknown', async () => {
    await expect(topics.open({ ...options(), tls: {} }).ensure()).rejects.toThrow(BrokerUnavailable);
  });

  it('are rejected with a wrong password, which is never logged', async () => {
    const messages: string[] = [];
    const tell = (details: object, message: string): void => void messages.push(message, JSON.stringify(details));
    const credentials = { ...options().credentials, password: 'a-wrong-password' };
    const refused = topics.open({ ...options(), credentials, logger: { error: tell, warn: tell, debug: tell } }).ensure();
    await expect(refused).rejects.toThrow(BrokerUnavailable);
    await expect(refused).rejects.not.toThrow(/a-wrong-password/);
    expect(messages.join()).not.toContain('a-wrong-password');
  });
});
