import { someEvent } from '../testing/some-events.ts';
import { ageMaxMs, createEventTimes } from './event-times.ts';
import { type PackedAppend, packAppend } from './messages.ts';

const nowMs = Date.parse('2026-03-01T08:00:00.000Z');

const appendOf = (ageMs: number, imported = false): PackedAppend => {
  const { envelope, ...event } = someEvent();
  return packAppend('pinpoint-1', 3, [{ ...event, envelope: { ...envelope, time: new Date(nowMs - ageMs).toISOString() } }], { imported });
};
const timesOf = (appends: readonly PackedAppend[]): readonly string[] =>
  appends.flatMap(([, , events]) => events.map(([envelope]) => JSON.parse(envelope).time));

describe('the times of events that are committed', () => {
  const { refresh } = createEventTimes(0, () => undefined);

  it('are new where the events have waited for over 5 s', () => {
    const [old, young, other] = [appendOf(ageMaxMs + 1), appendOf(ageMaxMs), appendOf(ageMaxMs + 1, true)];
    expect(timesOf(refresh([old, young, other], nowMs))).toEqual(['2026-03-01T08:00:00.000Z', ...timesOf([young]), ...timesOf([other])]);
  });

  it('change nothing else of the events', () => {
    const old = appendOf(ageMaxMs + 1);
    const [[stream, expected, [event]]] = refresh([old], nowMs) as readonly [PackedAppend];
    const [envelope, ...rest] = event ?? [];
    const [before, ...restBefore] = old[2][0] ?? [];
    expect([stream, expected, rest]).toEqual([old[0], old[1], restBefore]);
    expect({ ...JSON.parse(envelope ?? ''), time: '' }).toEqual({ ...JSON.parse(before ?? ''), time: '' });
    expect(Object.keys(JSON.parse(envelope ?? ''))).toEqual(Object.keys(JSON.parse(before ?? '')));
  });
});

describe('a clock', () => {
  it('is reported once a minute while it is over 5 s behind the latest time in the log', () => {
    const reports: number[] = [];
    const { refresh } = createEventTimes(nowMs, (behindMs) => reports.push(behindMs));
    refresh([], nowMs - 5_000);
    expect(reports).toEqual([]);
    refresh([], nowMs - 5_001);
    refresh([], nowMs - 7_000);
    expect(reports).toEqual([5_001]);
  });

  it('is compared with the latest time that it showed itself', () => {
    const reports: number[] = [];
    const { refresh } = createEventTimes(0, (behindMs) => reports.push(behindMs));
    refresh([], nowMs);
    refresh([], nowMs - 60_000);
    expect(reports).toEqual([60_000]);
  });
});
