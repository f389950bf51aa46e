import { readFileSync } from 'node:fs';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { BrokerUnavailable } from '../broker.ts';
import { type Opened, openTopics, permitLeast, startConsumption, until } from '../testing/kafka.ts';
import { someInstallation, someRecords } from '../testing/some-records.ts';
import type { KafkaAddress, SaslMechanism } from './client.ts';

type Access = Pick<KafkaAddress, 'brokers' | 'tls' | 'credentials'>;

const trusted = () => ({ ca: readFileSync(urlOf('tls'), 'utf8') });

/** Returns how to connect with the user and the password of an engine variable. */
const saslAccess = (mechanism: SaslMechanism, user: 'kafkaTlsCredentials' | 'kafkaLeastCredentials' = 'kafkaTlsCredentials'): Access => {
  const [username = '', password = ''] = urlOf(user).split(':');
  return { brokers: urlOf('kafkaTls').split(','), tls: trusted(), credentials: { mechanism, username, password } };
};

const certificateAccess = (): Access => {
  const [certificate = '', key = ''] = urlOf('kafkaClientCertificate').split(':');
  const client = { certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
  return { brokers: urlOf('kafkaMutualTls').split(','), tls: { ...trusted(), client } };
};

/** Sends records, finds the last one, and consumes all. */
const work = async (records: Opened, group?: string): Promise<void> => {
  await records.send(someRecords(1, 3));
  expect((await records.last())[1]?.position).toBe(3);
  const consumed = startConsumption(records, group === undefined ? {} : { group });
  await until(() => consumed.records.length === 3);
  await consumed.stop();
};

describeOn(['kafka', 'tls', 'kafkaTls', 'kafkaTlsCredentials'], 'records on Kafka over TLS, with a user and a password', () => {
  const topics = openTopics();
  afterEach(() => topics.closed());

  it.each(['SCRAM-SHA-256', 'SCRAM-SHA-512', 'PLAIN'] as const)(
    'are sent, found and consumed, on a topic that was created: %s',
    async (mechanism) => {
      await work(await topics.made(saslAccess(mechanism)));
    },
  );

  it('are rejected where the certificate authority is unknown', async () => {
    await expect(topics.open({ ...saslAccess('SCRAM-SHA-256'), tls: {} }).ensure()).rejects.toThrow(BrokerUnavailable);
  });

  it.each(['SCRAM-SHA-256', 'SCRAM-SHA-512', 'PLAIN'] as const)(
    'are rejected with a wrong password, which is never logged: %s',
    async (mechanism) => {
      const messages: string[] = [];
      const tell = (details: object, message: string): void => void messages.push(message, JSON.stringify(details));
      const credentials = { mechanism, username: 'waymark', password: 'a-wrong-password' };
      const logger = { error: tell, warn: tell, debug: tell };
      const refused = topics.open({ ...saslAccess(mechanism), credentials, logger }).ensure();
      await expect(refused).rejects.toThrow(BrokerUnavailable);
      await expect(refused).rejects.not.toThrow(/a-wrong-password/);
      expect(messages.join()).not.toContain('a-wrong-password');
    },
  );
});

describeOn(['kafka', 'tls', 'kafkaMutualTls', 'kafkaClientCertificate'], 'records on Kafka with a client certificate', () => {
  const topics = openTopics();
  afterEach(() => topics.closed());

  it('are sent, found and consumed, on a topic that was created', async () => {
    await work(await topics.made(certificateAccess()));
  });

  it('are rejected without the certificate', async () => {
    await expect(topics.open({ ...certificateAccess(), tls: trusted() }).ensure()).rejects.toThrow(BrokerUnavailable);
  });
});

describeOn(
  ['kafka', 'tls', 'kafkaTls', 'kafkaLeastCredentials'],
  'records on Kafka with a user that may neither create nor alter topics',
  () => {
    const topics = openTopics();
    afterEach(() => topics.closed());

    it.each(['SCRAM-SHA-256', 'PLAIN'] as const)(
      'are sent, found, consumed and dropped, on a topic of another user: %s',
      async (mechanism) => {
        const topic = ownName('least');
        const group = ownName('group');
        await topics.made({ topic });
        await permitLeast(topic, group);
        const records = topics.open({ ...saslAccess(mechanism, 'kafkaLeastCredentials'), topic });
        await until(() =>
          records.ensure().then(
            () => true,
            () => false,
          ),
        );
        const before = await records.tail();
        await work(records, `${group}-1`);
        expect((await records.tail(before)).isNew).toBe(true);
        expect(await records.named(before)).toEqual([someInstallation]);
        expect(await records.drop(1, 3)).toBe(true);
        await records.empty();
        expect((await records.last()).filter((record) => record !== undefined)).toEqual([]);
      },
    );

    it('are rejected while there is no topic, with the reason', async () => {
      const topic = ownName('least');
      const refused = topics.open({ ...saslAccess('SCRAM-SHA-256', 'kafkaLeastCredentials'), topic }).ensure();
      await expect(refused).rejects.toThrow(BrokerUnavailable);
      await expect(refused).rejects.toThrow(/may not create/);
    });
  },
);
