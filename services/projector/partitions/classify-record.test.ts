import type { PartitionRecord } from '@waymark/broker/broker.ts';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { modelLog } from '../testing/model-log.ts';
import { classifyRecord, positionAfter, type Verdict } from './classify-record.ts';

const reached = { incarnation: 'log', position: 10, event: 'event-10' };

const eventNamed = (id: string): RecordedEvent => {
  const log = modelLog();
  log.append(0);
  const [event] = log.eventsOf(0);
  if (!event) throw new Error('There is no event.');
  return { ...event, envelope: { ...event.envelope, id } };
};

/** A record right after the position of the partition. */
const record = (changes: Partial<PartitionRecord> = {}): PartitionRecord => ({
  partition: 0,
  incarnation: 'log',
  previous: 10,
  position: 12,
  eventId: 'event-12',
  event: eventNamed('event-12'),
  ...changes,
});
const watermark = (changes: Partial<PartitionRecord> = {}): PartitionRecord => record({ event: null, eventId: 'event-10', ...changes });

describe('a record', () => {
  it.each<[string, PartitionRecord, Verdict]>([
    ['right after the position', record(), 'next'],
    ['whose predecessor is below the position', record({ previous: 9 }), 'next'],
    ['whose predecessor is above the position', record({ previous: 11 }), 'gap'],
    ['below the position', record({ previous: 7, position: 9, eventId: 'event-9' }), 'duplicate'],
    ['at the position', record({ previous: 9, position: 10, eventId: 'event-10' }), 'duplicate'],
    ['at the position, of a sender that knows of no event', watermark({ previous: 9, position: 10, eventId: '' }), 'duplicate'],
    ['at the position, of another event', record({ previous: 9, position: 10, eventId: 'another' }), 'diverged'],
    ['without an event', watermark(), 'next'],
    ['without an event, of a sender that knows of none', watermark({ eventId: '' }), 'next'],
    ['without an event, whose predecessor is above the position', watermark({ previous: 11 }), 'gap'],
    ['without an event, after another event', watermark({ eventId: 'another' }), 'diverged'],
  ])('%s is classified by position, predecessor and event', (_, given, verdict) => {
    expect(classifyRecord(given, reached, undefined)).toBe(verdict);
  });

  it.each<[string, string | undefined, Verdict]>([
    ['requires a query of the log', undefined, 'foreign'],
    ['is a duplicate if the read models were built from the current log', 'log', 'duplicate'],
    ['shows that the read models were built from a replaced log', 'another', 'outdated'],
  ])('of another log %s', (_, log, verdict) => {
    expect(classifyRecord(record({ incarnation: 'another' }), reached, log)).toBe(verdict);
    expect(classifyRecord(record({ incarnation: 'another', position: 9 }), reached, log)).toBe(verdict);
  });

  it('moves the position to its own; without an event the last event stays', () => {
    expect(positionAfter(record(), reached)).toEqual({ incarnation: 'log', position: 12, event: 'event-12' });
    expect(positionAfter(watermark({ eventId: '' }), reached)).toEqual({ incarnation: 'log', position: 12, event: 'event-10' });
  });
});
