import type { KnownFacts } from '@waymark/event-log/facts/facts.ts';
import { noIds } from '@waymark/event-log/facts/facts.ts';
import { sealFacts } from '@waymark/event-log/facts/store.ts';
import { createSigner } from '@waymark/signing/signer.ts';
import { describeOn } from '@waymark/test-engines/test-engines.ts';
import { factsOf } from '../broker.ts';
import { openTopics, startConsumption, until, withProducer } from '../testing/kafka.ts';
import { someInstallation, someRecord, someRecords, someSigner, someWatermark } from '../testing/some-records.ts';
import { encoded } from './codec.ts';
import { signHeaders } from './trust.ts';

const facts: KnownFacts = {
  incarnation: 'some-log',
  head: 7,
  event: 'last',
  stream: 'pinpoint-1',
  revision: 3,
  ids: { ...noIds, list: 100 },
};
const sealed = (more: Partial<KnownFacts> = {}) => sealFacts(someSigner, someInstallation, { ...facts, ...more });
const otherInstallation = '00000000-0000-4000-8000-000000000002';
const otherSigner = createSigner(['the key of another installation, not of ours']);
const watermarks = (position: number, ...partitions: readonly number[]) =>
  partitions.map((partition) => someWatermark({ partition, previous: position, position }));

describeOn(['kafka'], 'the known facts of the log, in Kafka', () => {
  const topics = openTopics();
  afterEach(() => topics.closed(), 60_000);
  jest.setTimeout(300_000);

  it('are sent with watermarks, and returned with the last records', async () => {
    const records = await topics.made();
    expect((await records.lastOf()).facts).toEqual([]);
    await records.send([...someRecords(0, 2), ...watermarks(7, 1, 2)], sealed());
    expect((await records.lastOf()).facts).toEqual([facts]);
    await records.send(watermarks(8, 2), sealed({ head: 8, event: 'next' }));
    expect((await records.lastOf()).facts).toEqual([{ ...facts, head: 8, event: 'next' }]);
  });

  it('are returned for each incarnation of the log', async () => {
    const records = await topics.made();
    await records.send(watermarks(7, 1), sealed());
    await records.send(watermarks(3, 2), sealed({ incarnation: 'renewed', head: 3 }));
    expect((await records.lastOf()).facts.map(({ incarnation, head }) => [incarnation, head])).toEqual([
      ['some-log', 7],
      ['renewed', 3],
    ]);
  });

  it('are ignored by consumers of the records', async () => {
    const records = await topics.made();
    await records.send(watermarks(7, 1), sealed());
    await records.send([someRecord({ partition: 1, previous: 7, position: 8 })], sealed());
    const consumed = startConsumption(records);
    await until(() => consumed.positions(1).includes(8));
    await consumed.stop();
    expect([consumed.positions(1), records.counts().forged, records.counts().malformed]).toEqual([[7, 8], 0, 0]);
  });

  it.each<readonly [string, string]>([
    ['without a signature', JSON.stringify(facts)],
    ['changed', sealed().replace('"head":7', '"head":9')],
    ['signed with another key', sealFacts(otherSigner, someInstallation, facts)],
    ['of another installation', sealFacts(someSigner, otherInstallation, facts)],
    ['empty', ''],
  ])('are ignored if they are not signed by this installation: %s', async (_, forgery) => {
    const records = await topics.made();
    const value = encoded(someWatermark({ partition: 1, previous: 7, position: 7 }));
    const headers = signHeaders({ signer: someSigner, installation: someInstallation }, 1, value, forgery);
    await withProducer((producer) => producer.send({ topic: records.topic, messages: [{ partition: 1, key: '1', value, headers }] }));
    const last = await records.lastOf();
    expect([last.facts, last.ofPartitions[1]?.position]).toEqual([[], 7]);
    // The facts that follow from the records themselves count.
    expect(factsOf(last)).toEqual([{ incarnation: 'some-log', head: 7, event: '', stream: '', revision: 0, ids: noIds }]);
  });
});
