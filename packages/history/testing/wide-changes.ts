import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { added, listCreated, mine, numbers, pinpointCreated, pinpointDeleted, removed } from '@waymark/read-models/testing/facts.ts';
import { recorder } from '@waymark/read-models/testing/recorder.ts';
import type { HistoryReads } from '../history.ts';
import { changes } from '../reading/changes/changes.ts';

/** The index entries that a page of 20 may read. */
export const pageReadsMax = 1_000;

const pinpoints = 1_500;
const small = 30;
const medium = 50;

/** A large account: all pinpoints are edited many times, two lists have few members, and one has all of them. */
export const largeAccount = (): readonly RecordedEvent[] => {
  const { record } = recorder();
  const edit = (pinpoint: number, nth: number): DomainEvent => ({
    ...sampleEvents.PinpointEdited,
    pinpoint,
    fields: { name: `Name ${nth}` },
  });
  const everyPinpoint = numbers(1, pinpoints);
  const facts = [
    ...everyPinpoint.map((id) => pinpointCreated(id)),
    ...[1, 2, 3].map((id) => listCreated(id)),
    added(1, ...numbers(1, small)),
    added(2, ...numbers(1, medium)),
    added(3, ...everyPinpoint),
    ...[1, 2].flatMap((nth) => everyPinpoint.map((id) => edit(id, nth))),
    removed(1, 7),
    pinpointDeleted(8),
    ...everyPinpoint.filter((id) => id > medium).map((id) => edit(id, 3)),
  ];
  return facts.map((fact) => record(mine, fact));
};

/** Pages of 20 of the changes between an event and the last one: what they are of, the list, and the number of the event from the end. */
export const widePages: readonly (readonly [what: string, list: number | null, fromEnd: number])[] = [
  ['a list with 30 members, over all events of a large account', 1, Number.POSITIVE_INFINITY],
  ['a list with 50 members, over thousands of events', 2, 4_400],
  ['a list with all pinpoints, over a few events', 3, 21],
  ['a large account, over a few events', null, 21],
  ['a large account, over all its events', null, Number.POSITIVE_INFINITY],
];

/** Reads a page, and returns the number of its lines. */
export const readPage = async (
  reads: HistoryReads,
  events: readonly RecordedEvent[],
  list: number | null,
  fromEnd: number,
): Promise<number> => {
  const momentOf = (event: RecordedEvent | undefined) => ({ position: event?.position ?? 0, event: '' });
  const [from, to] = [momentOf(events[events.length - fromEnd]), momentOf(events.at(-1))];
  const reply = await changes(reads, { type: 'changes', account: mine, base: '', from, to, list, after: null, limit: 20 });
  if (reply.outcome !== 'changes-page') throw new Error(reply.outcome);
  return reply.items.length;
};
