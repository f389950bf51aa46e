import { createSigner } from '@waymark/signing/signer.ts';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import type { Message } from 'kafkajs';
import { type Opened, openTopics, startConsumption, until, withAdmin, withProducer } from '../testing/kafka.ts';
import { someInstallation, someRecord, someRecords, someSigner, someWatermark } from '../testing/some-records.ts';
import { encoded } from './codec.ts';
import { signHeaders } from './trust.ts';

const partition = 3;
const ours = { signer: someSigner, installation: someInstallation };
const other = {
  signer: createSigner(['the key of another installation, not of ours']),
  installation: '00000000-0000-4000-8000-000000000002',
};

const forgedValue = encoded(someRecord({ partition, previous: 5, position: 6 }, '{"name":"<script>"}'));
const rightValue = encoded(someRecord({ partition, previous: 5, position: 6 }));
/** Each is a record that a writer with access to the topic, but without a key, can write. */
const forgeries: readonly (readonly [string, Message, keyof ReturnType<Opened['counts']>])[] = [
  ['value changed', { value: forgedValue, headers: signHeaders(ours, partition, rightValue) }, 'forged'],
  ['header missing', { value: forgedValue }, 'unsigned'],
  [
    'header signed with another key',
    { value: forgedValue, headers: signHeaders({ ...other, installation: someInstallation }, partition, forgedValue) },
    'forged',
  ],
  ['genuine record moved to another partition', { value: rightValue, headers: signHeaders(ours, 4, rightValue) }, 'forged'],
  ['genuine record of another installation', { value: rightValue, headers: signHeaders(other, partition, rightValue) }, 'foreign'],
  [
    'genuine record of another installation with the key of this one',
    { value: rightValue, headers: signHeaders({ ...ours, installation: other.installation }, partition, rightValue) },
    'foreign',
  ],
];

describeOn(['kafka'], 'records on Kafka from another writer', () => {
  const topics = openTopics();
  afterEach(() => topics.closed(), 60_000);
  jest.setTimeout(300_000);

  const forge = ({ topic }: Opened, messages: readonly Message[]) =>
    withProducer((producer) => producer.send({ topic, messages: messages.map((one) => ({ partition, key: 'key', ...one })) }));

  it.each(forgeries)('are left out of a batch and counted: %s', async (_, forgery, reason) => {
    const messages: string[] = [];
    const records = await topics.made({ logger: { error: (_details, text) => messages.push(text), warn: () => {}, debug: () => {} } });
    await records.send(someRecords(partition, 5));
    await forge(records, [forgery, forgery]);
    await records.send(someRecords(partition, 5, 6));
    const doubts: number[] = [];
    const consumed = startConsumption(records, { recordsLeftOut: (one) => void doubts.push(one) });
    await until(() => consumed.positions(partition).includes(11));
    await consumed.stop();
    expect(consumed.positions(partition)).toEqual([1, 2, 3, 4, 5, 7, 8, 9, 10, 11]);
    expect(consumed.records.filter(({ followsLeftOut }) => followsLeftOut).map(({ position }) => position)).toEqual([7]);
    expect(new Set(doubts)).toEqual(new Set([partition]));
    expect(records.counts()).toMatchObject({ unsigned: 0, forged: 0, foreign: 0, malformed: 0, received: 10, [reason]: 2 });
    // Records without a signature (v0.1.0) are only counted. All others raise one alarm, not one for each record.
    const isAlarm = reason !== 'unsigned';
    expect([messages.length, records.warnings().length]).toEqual(isAlarm ? [1, 1] : [0, 0]);
    if (reason === 'foreign') expect(records.warnings()[0]).toMatch(new RegExp(`${other.installation}.*WAYMARK_KAFKA_TOPIC`));
  });

  it('are not returned as the last records that a relay resumes from', async () => {
    const records = await topics.made();
    await records.send(someRecords(partition, 5));
    await forge(
      records,
      forgeries.map(([, forgery]) => forgery),
    );
    expect((await records.last())[partition]).toMatchObject({ position: 5 });
  });

  it('are distinguished from those of the installation that owns the topic', async () => {
    const records = await topics.made({ installation: other.installation, signer: other.signer });
    await records.send([someWatermark({ partition, previous: 7, position: 7 })]);
    const ownOf = async () => topics.open({ topic: records.topic }).lastOf();
    expect(await ownOf()).toMatchObject({ foreign: [other.installation] });
    expect((await ownOf()).ofPartitions.every((record) => record === undefined)).toBe(true);
    await topics.open({ topic: records.topic }).send(someRecords(partition, 2));
    expect(await ownOf()).toMatchObject({ foreign: [] });
    expect((await records.lastOf()).foreign).toEqual([someInstallation]);
  });

  it('are not taken for deleted copies: nothing is dropped before the relay has written again', async () => {
    const records = await topics.made();
    await forge(records, [{ value: rightValue }]);
    expect(await records.drop(partition, 1)).toBe(false);
    await records.send(someRecords(partition, 1));
    expect(await records.drop(partition, 1)).toBe(true);
    const [{ low } = { low: '' }] = (await withAdmin((admin) => admin.fetchTopicOffsets(records.topic))).filter(
      (one) => one.partition === partition,
    );
    expect(low).toBe('1');
  });

  it('are no sign of an active relay: only records of this installation are new, watermarks included', async () => {
    const records = await topics.made();
    await records.send(someRecords(partition, 5));
    const first = await records.tail();
    expect(first.isNew).toBe(false);
    for (const [, forgery] of forgeries) await forge(records, [forgery]);
    const forged = await records.tail(first);
    expect([forged.isNew, forged.ends.get(partition)]).toEqual([false, (first.ends.get(partition) ?? 0) + forgeries.length]);
    await records.send([someWatermark({ partition: 7, previous: 5, position: 5 })]);
    await forge(records, [forgeries[0]?.[1] ?? { value: null }]);
    const sent = await records.tail(forged);
    expect([sent.isNew, (await records.tail(sent)).isNew]).toEqual([true, false]);
  });
});
