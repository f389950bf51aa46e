import { setTimeout as pause } from 'node:timers/promises';
import { someInstallation } from '@waymark/broker/testing/some-records.ts';
import type { Paces } from './ports.ts';
import { createRelay, type Relay } from './relay.ts';
import { fakeLog } from './testing/fake-log.ts';
import { fakeRecords } from './testing/fake-records.ts';
import { newLease } from './testing/lease.ts';
import { modelProjector } from './testing/model-projector.ts';
import { quick, silent, until } from './testing/relaying.ts';

const partitions = 3;

describe('the relay', () => {
  let log = fakeLog(partitions);
  let records = fakeRecords(partitions);
  const relays: Relay[] = [];
  beforeEach(() => {
    log = fakeLog(partitions);
    records = fakeRecords(partitions);
  });
  afterEach(async () => {
    await Promise.all(relays.splice(0).map(({ close }) => close()));
  });
  const start = (lease = newLease(true), paces: Partial<Paces> = {}): Relay => {
    const started = createRelay({ log, records, lease, partitions, logger: silent, paces: { ...quick, ...paces } });
    relays.push(started);
    return started;
  };
  const append = (count: number): void => {
    for (let index = 0; index < count; index += 1) log.append(`account-${index % 20}`, index % 3);
  };
  const expected = () => Array.from({ length: partitions }, (_, partition) => log.partition(partition));
  const projected = async (projector = modelProjector(log, partitions)) => {
    await until(() => {
      projector.consume(records);
      return JSON.stringify(projector.applied) === JSON.stringify(expected());
    });
    return projector;
  };
  const relayed = () => records.partitions.flat().filter(({ event }) => event !== null);

  it('sends new events in order, each once', async () => {
    const running = start();
    await until(() => running.stats().sessions === 1);
    append(50);
    await until(() => relayed().length === 50);
    expect(records.partitions.map((all) => all.filter(({ event }) => event).map(({ eventId }) => eventId))).toEqual(expected());
    expect(running.stats()).toMatchObject({ active: true, reason: undefined, events: 50, failures: 0 });
    expect(running.notReady()).toEqual([]);
  });

  it('rests after a request, and sends together what arrives meanwhile', async () => {
    const send = jest.spyOn(records, 'send');
    const running = start(newLease(true), { restMs: 1_000, watermarkMs: 60_000 });
    await until(() => running.stats().sessions === 1);
    send.mockClear();
    append(1);
    await until(() => relayed().length === 1);
    for (let more = 0; more < 5; more += 1) {
      append(1);
      await pause(1);
    }
    await until(() => relayed().length === 6);
    expect(send).toHaveBeenCalledTimes(2);
  });

  it('does not delay its end with a rest', async () => {
    const running = start(newLease(true), { restMs: 3_600_000 });
    await until(() => running.stats().sessions === 1);
    append(1);
    await until(() => relayed().length === 1);
    await running.close();
  });

  it('sends no events before the head where the partitions are empty; a projector reads those from the log', async () => {
    append(30);
    start();
    await until(() => records.partitions.every((all) => all.length > 0));
    expect(relayed()).toEqual([]);
    const projector = await projected();
    expect(projector.gaps()).toBe(partitions);
  });

  it('resumes where the previous relay ended', async () => {
    const one = start();
    await until(() => one.stats().sessions === 1);
    append(10);
    await until(() => relayed().length === 10);
    await one.close();
    append(10);
    start();
    await until(() => relayed().length === 20);
    expect(records.partitions.map((all) => all.filter(({ event }) => event).map(({ eventId }) => eventId))).toEqual(expected());
    expect((await projected()).gaps()).toBe(0);
  });

  it('repeatedly reports to idle partitions how far the log was read', async () => {
    const running = start();
    await until(() => running.stats().sessions === 1);
    log.append('account-1');
    log.keepHouse();
    log.keepHouse();
    await until(() => records.partitions.every((all) => all.at(-1)?.position === 3));
    const before = records.partitions.flat().length;
    await until(() => records.partitions.flat().length >= before + 2 * partitions);
    expect(records.partitions.map((all) => all.at(-1)).every((record) => record?.previous === 3 && record.event === null)).toBe(true);
  });

  it('shows a partition that it lost its last records, even if no event follows', async () => {
    const running = start();
    await until(() => running.stats().sessions === 1);
    append(30);
    await until(() => relayed().length === 30);
    for (const [partition, all] of records.partitions.entries()) records.truncate(partition, all.length);
    expect((await projected()).gaps()).toBe(partitions);
    expect(running.stats().failures).toBe(0);
  });

  it('restarts the partitions for a log with a new incarnation', async () => {
    const running = start();
    await until(() => running.stats().sessions === 1);
    append(10);
    await until(() => relayed().length === 10);
    log.renew();
    await until(() => running.stats().incarnation === "log-1'");
    append(10);
    await until(() => relayed().length === 20);
    const newRecords = records.partitions.map((all) => all.filter(({ incarnation }) => incarnation === "log-1'"));
    for (const all of newRecords) expect(all[0]).toMatchObject({ event: null, eventId: '', previous: all[0]?.position });
  });

  it('relays nothing of a log that was rolled back until it is renewed', async () => {
    const running = start();
    await until(() => running.stats().sessions === 1);
    append(10);
    await until(() => relayed().length === 10);
    log.cut(5);
    await until(() => running.notReady().length > 0);
    expect(running.stats().reason).toContain('5');
    append(2);
    await pause(50);
    expect(relayed()).toHaveLength(10);
    log.renew();
    await until(() => running.notReady().length === 0);
    append(2);
    await until(() => relayed().length === 12);
  });

  it('refuses to start on the topic of another installation, names the setting, and starts once the topic is free', async () => {
    const other = '00000000-0000-4000-8000-000000000002';
    records.share(other);
    const running = start();
    await until(() => running.notReady().length > 0 && running.stats().reason !== undefined);
    expect(running.notReady()[0]).toMatch(
      new RegExp(`${other}.*${someInstallation}.*WAYMARK_KAFKA_TOPIC.*waymark adopt --instead-of ${other}`),
    );
    append(5);
    expect(records.partitions.flat()).toEqual([]);
    records.share(undefined);
    await until(() => running.notReady().length === 0);
    expect((await projected()).applied).toEqual(expected());
  });

  it('continues where another installation starts to write to its topic', async () => {
    const one = start();
    await until(() => one.stats().sessions === 1);
    append(10);
    await until(() => relayed().length === 10);
    records.share('00000000-0000-4000-8000-000000000002');
    await one.close();
    append(10);
    const other = start();
    await until(() => relayed().length === 20);
    expect(other.notReady()).toEqual([]);
  });

  it('stands by while another relay is active, and takes over from the last records', async () => {
    const [first, second] = [newLease(true), newLease(false)];
    const [one, other] = [start(first), start(second)];
    await until(() => one.stats().sessions === 1);
    append(10);
    await until(() => relayed().length === 10);
    expect(other.stats()).toMatchObject({ active: false, sessions: 0 });
    expect(other.notReady()).toEqual([]);
    first.set(false);
    second.set(true);
    append(10);
    await until(() => relayed().length === 20 && !one.stats().active);
    expect(other.stats()).toMatchObject({ active: true, events: 10 });
    expect(records.partitions.map((all) => all.filter(({ event }) => event).map(({ eventId }) => eventId))).toEqual(expected());
    first.set(true);
    second.set(false);
    append(10);
    await until(() => relayed().length === 30 && !other.stats().active);
    expect((await projected()).gaps()).toBe(0);
  });

  it('continues after Kafka was wiped, and after the log was unavailable', async () => {
    const running = start();
    await until(() => running.stats().sessions === 1);
    append(10);
    const projector = await projected();
    records.wipe();
    append(10);
    await projected(projector);
    log.fail(5);
    append(10);
    await projected(projector);
    await until(() => running.notReady().length === 0);
    expect(running.stats().failures).toBeGreaterThan(0);
  });

  it('reports why it is not ready, and its work as metrics', async () => {
    records.fates.push(...Array.from({ length: 400 }, () => 'refused' as const));
    const running = start();
    await until(() => running.notReady().length > 0 && running.stats().reason !== undefined);
    expect(running.notReady()).toEqual(['Events are not relayed: refused']);
    records.fates.length = 0;
    append(5);
    await until(() => running.notReady().length === 0);
    const text = await running.metrics();
    expect(text).toContain('waymark_relay_active 1');
    expect(text).toContain('waymark_relay_troubled 0');
    expect(text).toMatch(/waymark_relay_position\{partition="2"\} \d+/);
    expect(text).toMatch(/waymark_relay_failures_total [1-9]/);
  });

  it('ends while it cannot relay', async () => {
    log.fail(1_000_000);
    const running = start();
    await until(() => running.stats().failures > 0);
    await running.close();
    await pause(20);
    const { failures } = running.stats();
    await pause(20);
    expect(running.stats().failures).toBe(failures);
  });
});
