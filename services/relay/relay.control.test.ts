import { setTimeout as pause } from 'node:timers/promises';
import type { PartitionRecord } from '@waymark/broker/broker.ts';
import { openKafkaBroker } from '@waymark/broker/kafka/broker.ts';
import { someInstallation, someSigner } from '@waymark/broker/testing/some-records.ts';
import { control } from '@waymark/test-engines/control.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { createRelay, type Relay } from './relay.ts';
import { fakeLog } from './testing/fake-log.ts';
import { newLease } from './testing/lease.ts';
import { modelProjector } from './testing/model-projector.ts';
import { silent, until } from './testing/relaying.ts';

const partitions = 12;
const withinMs = 300_000;

describeOn(['kafka', 'control'], 'two relays, and a Kafka broker that is killed, paused and wiped', () => {
  const log = fakeLog(partitions, 100);
  const projector = modelProjector(log, partitions);
  type Records = ReturnType<typeof openKafkaBroker>;
  let own: readonly Records[];
  let consumer: Records;
  const abort = new AbortController();
  let relays: Relay[] = [];
  let consuming: Promise<void>;

  /** Consumes as a projector does: a consumption that ended is restarted. */
  const consume = async (): Promise<void> => {
    const handle = async (partition: number, records: readonly PartitionRecord[]): Promise<void> => {
      expect(records.every((record) => record.partition === partition)).toBe(true);
      projector.take(records);
    };
    while (!abort.signal.aborted) {
      await consumer.consume({ installation: someInstallation, group: 'relay-test', handle, signal: abort.signal }).catch(() => undefined);
      await pause(200);
    }
  };
  beforeAll(() => {
    const options = {
      brokers: urlOf('kafka').split(','),
      clientId: 'test',
      topic: ownName('relay'),
      signer: someSigner,
      logger: { ...silent, error: () => {}, debug: () => {} },
    };
    consumer = openKafkaBroker(options);
    const producers = [openKafkaBroker(options), openKafkaBroker(options)];
    own = [consumer, ...producers];
    consuming = consume();
    relays = producers.map((records) => createRelay({ log, records, lease: newLease(true), partitions, logger: silent }));
  });
  afterAll(async () => {
    await control('start', 'kafka');
    await Promise.all(relays.map(({ close }) => close()));
    abort.abort();
    await consuming;
    await Promise.all(own.map(({ close }) => close()));
  });

  const append = async (): Promise<void> => {
    for (let index = 0; index < 200; index += 1) {
      log.append(`account-${index % 50}`, index % 2);
      if (index % 20 === 0) await pause(5);
    }
  };
  const all = (): boolean => projector.applied.every((ids, partition) => JSON.stringify(ids) === JSON.stringify(log.partition(partition)));
  const working = (): boolean => relays.every(({ notReady }) => notReady().length === 0);

  it('relay everything while the broker is available', async () => {
    await append();
    await until(all, withinMs);
  });

  it('relay everything after it was killed, and report that they are not ready meanwhile', async () => {
    const appending = append();
    await control('kill', 'kafka');
    await appending;
    await append();
    await until(() => relays.every(({ notReady }) => notReady().length === 1), withinMs);
    await control('start', 'kafka');
    await until(() => all() && working(), withinMs);
  });

  it('relay everything after it was paused', async () => {
    const appending = append();
    await control('pause', 'kafka');
    await appending;
    await pause(12_000);
    await control('resume', 'kafka');
    await append();
    await until(() => all() && working(), withinMs);
  });

  it('relay everything after it lost its data', async () => {
    const appending = append();
    await control('wipe', 'kafka');
    await control('start', 'kafka');
    await appending;
    await append();
    await until(() => all() && working(), withinMs);
  });
});
