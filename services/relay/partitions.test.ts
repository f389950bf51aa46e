import type { PartitionRecord } from '@waymark/broker/broker.ts';
import { partitionOf } from '@waymark/domain/partitions.ts';
import { createRelayPartitions, LogCutShort } from './partitions.ts';
import { fakeLog } from './testing/fake-log.ts';

const partitions = 3;
/** One account for each partition. */
const accounts = Array.from({ length: partitions }, (_, partition) => {
  for (let tried = 0; ; tried += 1) if (partitionOf(`account-${tried}`, partitions) === partition) return `account-${tried}`;
}) as [string, string, string];

const last = (partition: number, position: number, changes: Partial<PartitionRecord> = {}): PartitionRecord => ({
  partition,
  incarnation: 'log-1',
  position,
  previous: 0,
  eventId: `event-${position}`,
  event: null,
  ...changes,
});

const log1 = (head: number) => ({ incarnation: 'log-1', installation: 'fake', head });

describe('the records of the partitions', () => {
  const log = fakeLog(partitions);
  const events = [accounts[0], accounts[1], accounts[0], accounts[2]].map((account) => log.append(account, 9));
  const ids = events.map(({ envelope }) => envelope.id);

  it('start after the position of the partition that is furthest behind', () => {
    expect(createRelayPartitions(log1(40), [last(0, 30), last(1, 10), last(2, 20)]).after).toBe(10);
  });

  it('hold each event with the position before it in its partition, and no event that the partition already has', () => {
    const lanes = createRelayPartitions(log1(40), [last(0, 5), last(1, 7), last(2, 40)]);
    expect(lanes.next(events, 40)).toEqual([
      { partition: 0, incarnation: 'log-1', position: 10, previous: 5, eventId: ids[0], event: events[0] },
      { partition: 1, incarnation: 'log-1', position: 20, previous: 7, eventId: ids[1], event: events[1] },
      { partition: 0, incarnation: 'log-1', position: 30, previous: 10, eventId: ids[2], event: events[2] },
    ]);
    expect(lanes.positions()).toEqual([30, 20, 40]);
  });

  it('start at the head of the log where a partition has no record, or one of another log', () => {
    const lanes = createRelayPartitions(log1(40), [undefined, last(1, 99, { incarnation: 'another' }), last(2, 33)]);
    expect(lanes.after).toBe(33);
    expect(lanes.watermarks()).toEqual([
      { partition: 0, incarnation: 'log-1', position: 40, previous: 40, eventId: '', event: null },
      { partition: 1, incarnation: 'log-1', position: 40, previous: 40, eventId: '', event: null },
      { partition: 2, incarnation: 'log-1', position: 33, previous: 33, eventId: 'event-33', event: null },
    ]);
    expect(lanes.next(events, 40).map(({ partition, previous }) => ({ partition, previous }))).toEqual([{ partition: 2, previous: 33 }]);
  });

  it('report to idle partitions how far the log was read, and no further', () => {
    const lanes = createRelayPartitions(log1(100), [last(0, 5), last(1, 5), last(2, 5)]);
    lanes.watermarks();
    lanes.next(events.slice(0, 1), 15);
    expect(lanes.watermarks()).toMatchObject([
      { partition: 1, previous: 5, position: 15, eventId: 'event-5' },
      { partition: 2, previous: 5, position: 15, eventId: 'event-5' },
    ]);
    expect(lanes.watermarks()).toMatchObject([
      { partition: 0, previous: 10, position: 15, eventId: ids[0] },
      { partition: 1, previous: 15, position: 15, eventId: 'event-5' },
      { partition: 2, previous: 15, position: 15, eventId: 'event-5' },
    ]);
  });

  it('are refused where the log ends before the last record', () => {
    expect(() => createRelayPartitions(log1(40), [last(0, 5), last(1, 41), last(2, 5)])).toThrow(LogCutShort);
  });
});
