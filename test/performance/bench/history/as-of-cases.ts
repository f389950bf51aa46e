import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import type { PageQuery } from '@waymark/domain/pages.ts';
import {
  added,
  happeningCreated,
  listCreated,
  numbers,
  pinpointCreated,
  pinpointDeleted,
  removed,
} from '@waymark/read-models/testing/facts.ts';
import { account, createRecorder } from './large-history.ts';

/** Members of one event: a batch of events is one transaction, which must not be too large. */
const membersTogether = 10;
/** Items of a page. */
const limit = 20;

/** A page as of a moment that must pass many rows. The moment comes right after the events. */
type Step = { readonly events: Iterable<DomainEvent>; readonly asOf?: { readonly title: string; readonly query: PageQuery } };
export type AsOfCase = { readonly title: string; readonly query: PageQuery; readonly position: number };

/** Applies the events of all cases to an empty history, one case after the other.
 * @param size the number of rows that each of the larger cases passes; the others pass a tenth of it
 * @param fill applies events; returns their last position */
export const buildCases = async (
  size: number,
  fill: (events: Iterable<RecordedEvent>) => Promise<{ readonly position: number }>,
): Promise<readonly AsOfCase[]> => {
  const record = createRecorder();
  const cases: AsOfCase[] = [];
  for (const { events, asOf } of stepsOf(size)) {
    const { position } = await fill(recorded(events, record));
    if (asOf) cases.push({ ...asOf, position });
  }
  return cases;
};

function* recorded(events: Iterable<DomainEvent>, record: (event: DomainEvent) => RecordedEvent): Generator<RecordedEvent> {
  for (const event of events) yield record(event);
}

const stepsOf = (size: number): readonly Step[] => {
  const tenth = size / 10;
  const many = size - limit;
  const count = (number: number): string => number.toLocaleString('en');
  return [
    { events: pinpoints(1, limit), asOf: { title: `${count(many)} objects were made after the moment`, query: page('pinpoint') } },
    { events: pinpoints(limit + 1, size) },
    {
      events: [listCreated(1, account), added(1, ...numbers(many + 1, size))],
      asOf: { title: `${count(many)} members joined after it`, query: page('pinpoint', 1) },
    },
    { events: eachMembers(many, (ids) => added(1, ...ids)) },
    {
      events: eachMembers(many, (ids) => removed(1, ...ids)),
      asOf: { title: `${count(many)} members left before it`, query: page('pinpoint', 1) },
    },
    {
      events: [listCreated(2, account), added(2, ...numbers(1, limit)), ...comingsAndGoings(tenth / 2)],
      asOf: { title: `one member was added and removed ${count(tenth)} times`, query: page('pinpoint', 2) },
    },
    { events: comingsAndGoings(tenth / 2) },
    {
      events: edits(tenth / 2),
      asOf: { title: `an object has ${count(tenth)} versions`, query: page('pinpoint') },
    },
    { events: edits(tenth / 2) },
    {
      events: [...happenings(1, tenth, 7), ...happenings(tenth + 1, tenth + limit, size), pinpointDeleted(7)],
      asOf: { title: `${count(tenth)} happenings are hidden with their pinpoint`, query: page('happening') },
    },
    {
      events: deletions(1, many),
      asOf: { title: `${count(many)} pinpoints were deleted before it`, query: page('pinpoint') },
    },
  ];
};

const page = (kind: 'pinpoint' | 'happening', within: number | null = null): PageQuery => ({
  account,
  kind,
  within,
  direction: 'forward',
  from: 0,
  limit,
});

function* pinpoints(from: number, to: number): Generator<DomainEvent> {
  for (let id = from; id <= to; id += 1) yield pinpointCreated(id, account);
}

function* deletions(from: number, to: number): Generator<DomainEvent> {
  for (let id = from; id <= to; id += 1) if (id !== 7) yield pinpointDeleted(id);
}

function* happenings(from: number, to: number, pinpoint: number): Generator<DomainEvent> {
  for (let id = from; id <= to; id += 1) yield happeningCreated(id, pinpoint, account);
}

function* eachMembers(to: number, eventOf: (ids: readonly number[]) => DomainEvent): Generator<DomainEvent> {
  for (let from = 1; from <= to; from += membersTogether) yield eventOf(numbers(from, Math.min(to, from + membersTogether - 1)));
}

function* comingsAndGoings(times: number): Generator<DomainEvent> {
  for (let nth = 0; nth < times; nth += 1) yield* [removed(2, 5), added(2, 5)];
}

function* edits(times: number): Generator<DomainEvent> {
  for (let nth = 0; nth < times; nth += 1) yield { type: 'PinpointEdited', pinpoint: 3, fields: { name: `Name ${nth}` } };
}
