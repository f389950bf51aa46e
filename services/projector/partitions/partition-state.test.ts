import type { ReceivedRecord } from '@waymark/broker/broker.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { eventFrameCharacters, membershipCharacters, transactionEventsMax } from '../limits.ts';
import { modelLog } from '../testing/model-log.ts';
import {
  completePlan,
  createPartitionState,
  heldUpTo,
  isIdle,
  needsLog,
  type PartitionState,
  plan,
  readFromLogInstead,
} from './partition-state.ts';

const incarnation = 'log';
const at = (position: number) => ({ incarnation, position, event: '' });
const record = (previous: number, position: number, isAfterLeftOut = false) => ({
  partition: 0,
  incarnation,
  previous,
  position,
  eventId: '',
  event: null,
  ...(isAfterLeftOut ? { followsLeftOut: true } : {}),
});

/** Returns the goal of a partition at position 10 after it has processed these records, while a read of the log for rejected records is
 * due. */
const goalAfter = (records: readonly ReturnType<typeof record>[], changes: Partial<PartitionState> = {}): number => {
  const partitionState = Object.assign(createPartitionState(0), { reached: at(10), processedUpTo: 10, isRereadDue: true }, changes);
  partitionState.waiting.push({ records, planned: 0, log: undefined, resolve: () => undefined, reject: () => undefined });
  completePlan(plan(partitionState, at(10), { events: 100, characters: 100 }));
  return partitionState.readLogUpTo;
};

describe('missing records, while a read of the log for rejected records is due,', () => {
  it('are left to that read if the records right before them were rejected', () => {
    expect(goalAfter([record(11, 12, true)])).toBe(0);
  });

  it('are left to it, too, if they only follow records that were left to it', () => {
    expect(goalAfter([record(11, 12, true), record(12, 13), record(12, 13), record(13, 15)])).toBe(0);
  });

  it('are read at once if records were lost and not rejected', () => {
    expect(goalAfter([record(11, 12)])).toBe(12);
    expect(goalAfter([record(11, 12, true), record(13, 14)])).toBe(14);
  });

  it('are read together with records that are read anyway', () => {
    expect(goalAfter([record(11, 12, true)], { readLogUpTo: 11 })).toBe(12);
  });

  it('are read at once if no such read is due any more', () => {
    expect(goalAfter([record(11, 12, true)], { isRereadDue: false })).toBe(12);
  });

  it('are none if there is no gap', () => {
    expect(goalAfter([record(10, 12, true), record(12, 14)])).toBe(0);
  });
});

const eventOf = (type: string, content: string | null, time = '2026-06-01T00:00:00.000Z'): RecordedEvent => {
  const log = modelLog();
  log.append(0, type);
  const [event] = log.eventsOf(0);
  if (!event) throw new Error('There is no event.');
  return { ...event, content, envelope: { ...event.envelope, time } };
};
const withEvent = (position: number, event = eventOf('PinpointEdited', '{}')): ReceivedRecord => ({
  ...record(position - 1, position),
  event,
});
const room = (changes: { readonly events?: number; readonly characters?: number } = {}) => ({
  events: 100,
  characters: 1_000_000,
  ...changes,
});

/** Returns a partition at position 10 with waiting batches, in the order received, and the numbers of the batches that were resolved. */
const stateWith = (waiting: readonly (readonly ReceivedRecord[])[], changes: Partial<PartitionState> = {}) => {
  const answered: number[] = [];
  const partitionState = Object.assign(createPartitionState(3), { reached: at(10) }, changes);
  for (const [nth, records] of waiting.entries()) {
    partitionState.waiting.push({ records, planned: 0, log: undefined, resolve: () => void answered.push(nth), reject: () => undefined });
  }
  return { partitionState, answered };
};
const positionsOf = (planned: ReturnType<typeof plan>): readonly number[] => planned.taken.map(({ record: { position } }) => position);

describe('a plan', () => {
  it('moves the partition over all consecutive records, and names its previous position', () => {
    const events = [eventOf('PinpointEdited', '{"name":"one"}'), eventOf('PinpointEdited', '{"name":"other"}')];
    const { partitionState } = stateWith([events.map((event, nth) => withEvent(11 + nth, event)), [record(12, 15)]]);
    const { step, blockedBy } = plan(partitionState, { ...at(10), event: 'event-10' }, room());
    expect(step).toMatchObject({ partition: 3, after: 10, afterEvent: 'event-10', to: { incarnation, position: 15 } });
    expect(step?.events).toEqual(events);
    expect(blockedBy).toBeUndefined();
  });

  it('moves nothing if all records are duplicates, and marks them as processed', () => {
    const { partitionState } = stateWith([[withEvent(9), record(9, 10)]]);
    const planned = plan(partitionState, at(10), room());
    expect(planned.step).toBeUndefined();
    expect(positionsOf(planned)).toEqual([9, 10]);
  });

  it('takes no more records than the partition tries at once, and no more than there is room for', () => {
    const waiting = [[withEvent(11), withEvent(12), withEvent(13)]];
    expect(positionsOf(plan(stateWith(waiting, { recordsMax: 2 }).partitionState, at(10), room()))).toEqual([11, 12]);
    expect(positionsOf(plan(stateWith(waiting).partitionState, at(10), room({ events: 2 })))).toEqual([11, 12]);
    expect(positionsOf(plan(stateWith(waiting).partitionState, at(10), room({ characters: 2 * eventFrameCharacters + 4 })))).toEqual([
      11, 12,
    ]);
    expect(positionsOf(plan(stateWith(waiting).partitionState, at(10), room({ characters: 2 * eventFrameCharacters + 5 })))).toEqual([
      11, 12, 13,
    ]);
    expect(positionsOf(plan(stateWith(waiting).partitionState, at(10), room({ events: 0 })))).toEqual([]);
  });

  it('leaves the room that it does not need to other partitions; memberships need more room', () => {
    const left = room();
    const content = '[1,2,3]';
    const events = [eventOf('PinpointEdited', content), eventOf('PinpointsAdded', content), eventOf('PinpointsRemoved', content)];
    const erased = eventOf('PinpointEdited', null);
    plan(stateWith([[...events, erased].map((event, nth) => withEvent(11 + nth, event))]).partitionState, at(10), left);
    const characters = 4 * eventFrameCharacters + content.length * (1 + 2 * membershipCharacters);
    expect(left).toEqual({ events: 96, characters: 1_000_000 - characters });
  });

  it('takes records that were read from the log before waiting records, and drops those that no longer follow the position', () => {
    const fromLog = [record(9, 11), { ...record(11, 12), incarnation: 'another' }, record(14, 15)];
    const { partitionState } = stateWith([[record(11, 13)]], { fromLog });
    const planned = plan(partitionState, at(10), room());
    expect(planned.taken.map(({ record: { position }, isFromLog, verdict }) => [position, isFromLog, verdict])).toEqual([
      [11, true, 'next'],
      [12, true, 'duplicate'],
      [15, true, 'duplicate'],
      [13, false, 'next'],
    ]);
    expect(planned.step?.to).toEqual(at(13));
  });

  it('ends before a record that cannot be classified, and contains the records before it', () => {
    const { partitionState } = stateWith([[withEvent(11), { ...withEvent(12), incarnation: 'another' }, withEvent(13)]]);
    const planned = plan(partitionState, at(10), room());
    expect([positionsOf(planned), planned.blockedBy, planned.step?.to.position]).toEqual([[11], 'foreign', 11]);
  });

  it('classifies a record of another log by the incarnation of the log after the record was received', () => {
    const { partitionState } = stateWith([[{ ...withEvent(11), incarnation: 'another' }]]);
    for (const waiting of partitionState.waiting) waiting.log = incarnation;
    expect(plan(partitionState, at(10), room()).taken).toMatchObject([{ verdict: 'duplicate' }]);
    for (const waiting of partitionState.waiting) waiting.log = 'another';
    expect(plan(partitionState, at(10), room()).blockedBy).toBe('outdated');
  });
});

describe('a completed plan', () => {
  it('resolves the batches whose records were all processed, in their order', () => {
    const { partitionState, answered } = stateWith([[record(10, 11)], [record(11, 12), withEvent(13), withEvent(14)], [withEvent(15)]], {
      recordsMax: 3,
    });
    completePlan(plan(partitionState, at(10), room()));
    expect([answered, partitionState.reached, partitionState.waiting.map(({ planned }) => planned)]).toEqual([
      [0],
      expect.objectContaining({ position: 13 }),
      [2, 0],
    ]);
    partitionState.recordsMax = transactionEventsMax;
    if (partitionState.reached) completePlan(plan(partitionState, partitionState.reached, room()));
    expect([answered, partitionState.reached?.position, partitionState.waiting, partitionState.processedUpTo]).toEqual([
      [0, 1, 2],
      15,
      [],
      15,
    ]);
  });

  it('removes the processed records from those that were read from the log', () => {
    const { partitionState, answered } = stateWith([[record(12, 13)]], { fromLog: [record(10, 11), record(11, 12)], recordsMax: 1 });
    completePlan(plan(partitionState, at(10), room()));
    expect([partitionState.fromLog.map(({ position }) => position), answered]).toEqual([[12], []]);
  });

  it('keeps the time of the oldest missing event until the event is there', () => {
    const [older, newer] = ['2026-06-01T00:00:01.000Z', '2026-06-01T00:00:02.000Z'];
    const gap = (position: number, time: string) => ({
      ...withEvent(position, eventOf('PinpointEdited', '{}', time)),
      previous: position - 1,
    });
    const { partitionState } = stateWith([[gap(15, newer), gap(14, older), gap(13, newer), record(15, 16)]]);
    completePlan(plan(partitionState, at(10), room()));
    expect([partitionState.readLogUpTo, partitionState.missingSinceMs, partitionState.reached]).toEqual([16, Date.parse(older), at(10)]);
    partitionState.fromLog.push(record(10, 15));
    completePlan(plan(partitionState, at(10), room()));
    expect(partitionState.missingSinceMs).toBe(Date.parse(older));
    partitionState.fromLog.push(record(15, 16));
    completePlan(plan(partitionState, at(15), room()));
    expect(partitionState.missingSinceMs).toBeUndefined();
  });

  it('keeps the furthest position of records from its own log, not from others', () => {
    const { partitionState } = stateWith([[{ ...record(10, 99), incarnation: 'another' }, record(9, 10), record(11, 12)]]);
    for (const waiting of partitionState.waiting) waiting.log = incarnation;
    completePlan(plan(partitionState, at(10), room()));
    expect([partitionState.processedUpTo, partitionState.readLogUpTo]).toEqual([12, 12]);
  });
});

describe('a partition', () => {
  it('needs the log while it holds less of it than its goal', () => {
    expect(needsLog(createPartitionState(0))).toBe(false);
    const wanting = (changes: Partial<PartitionState>): boolean => needsLog(stateWith([], { readLogUpTo: 12, ...changes }).partitionState);
    expect(wanting({})).toBe(true);
    expect(wanting({ readLogUpTo: 10 })).toBe(false);
    expect(wanting({ reached: undefined })).toBe(false);
    expect(wanting({ fromLog: [record(10, 11)] })).toBe(true);
    expect(wanting({ fromLog: [record(10, 12)] })).toBe(false);
    // A blocked partition reads no more than the next record to be tried.
    const blocked = { error: new Error('what is this'), position: 10, sinceMs: 0, retryAtMs: 0 };
    expect(wanting({ blocked })).toBe(true);
    expect(wanting({ blocked, fromLog: [record(10, 11)] })).toBe(false);
  });

  it('holds the log up to the last record that was read, or else up to its position', () => {
    expect(heldUpTo(createPartitionState(0))).toBe(0);
    expect(heldUpTo(stateWith([]).partitionState)).toBe(10);
    expect(heldUpTo(stateWith([], { fromLog: [record(10, 11), record(11, 14)] }).partitionState)).toBe(14);
  });

  it('is idle if no records wait, neither from Kafka nor from the log', () => {
    expect([
      isIdle(stateWith([]).partitionState),
      isIdle(stateWith([[record(10, 11)]]).partitionState),
      isIdle(stateWith([], { fromLog: [record(10, 11)] }).partitionState),
    ]).toEqual([true, false, false]);
  });

  it('that is blocked leaves all waiting records to the log, and resolves their batches', () => {
    const { partitionState, answered } = stateWith([[record(10, 11), record(11, 17)], [record(11, 12)]]);
    readFromLogInstead(partitionState);
    expect([answered, partitionState.waiting, partitionState.readLogUpTo]).toEqual([[0, 1], [], 17]);
  });
});
