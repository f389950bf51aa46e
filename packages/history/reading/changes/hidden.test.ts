import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import {
  added,
  happeningCreated,
  happeningDeleted,
  happeningMoved,
  listCreated,
  listDeleted,
  listRestored,
  mine,
  numbers,
  pinpointCreated,
  pinpointDeleted,
  pinpointRestored,
  removed,
} from '@waymark/read-models/testing/facts.ts';
import { applyAll, recorder } from '@waymark/read-models/testing/recorder.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import type { HistoryReads } from '../../history.ts';
import { openSqliteHistory } from '../../sqlite/history.ts';
import { expectedChanges } from '../../testing/expected-changes.ts';
import type { ChangesQuestion } from '../questions.ts';
import { changes } from './changes.ts';
import { type ChangesLimits, changesLimits } from './limits.ts';

const newFile = temporaryFiles();

type Line = {
  readonly object: { readonly kind: string; readonly id: number };
  readonly change: string;
  readonly last: { readonly id: string; readonly action: string };
  readonly diff: string | null;
};

const recorded = (...facts: DomainEvent[]): readonly RecordedEvent[] => {
  const { record } = recorder();
  return facts.map((fact) => record(mine, fact));
};

const using = async (events: readonly RecordedEvent[], use: (reads: HistoryReads) => Promise<void>): Promise<void> => {
  const history = openSqliteHistory(newFile());
  await applyAll(history.apply, events);
  await history.read(use);
  await history.close();
};

type Asked = { readonly from: number; readonly to: number; readonly list: number | null; readonly limit: number };

/** Returns all lines, page by page. */
const linesOf = async (reads: HistoryReads, { from, to, ...asked }: Asked, limits?: ChangesLimits): Promise<readonly Line[]> => {
  const lines: Line[] = [];
  const range = { from: { position: from, event: '' }, to: { position: to, event: '' } };
  for (let after: ChangesQuestion['after'] = null; ; ) {
    const reply = await changes(reads, { type: 'changes', account: mine, base: '', ...asked, ...range, after }, limits);
    if (reply.outcome !== 'changes-page') throw new Error(reply.outcome);
    lines.push(...reply.items.map((text) => JSON.parse(text) as Line));
    if (reply.next === null) return lines;
    after = reply.next;
  }
};

/** Limits with which the entries are searched, those with which the members are compared, and the usual ones. */
const allLimits: readonly ChangesLimits[] = [
  { together: 1, readsMax: 1, membersMax: 0 },
  { together: 2, readsMax: 60, membersMax: 0 },
  { together: 1, readsMax: 1, membersMax: 1_000 },
  { ...changesLimits, membersMax: 0 },
  changesLimits,
];

const edited = (pinpoint: number): DomainEvent => ({ ...sampleEvents.PinpointEdited, pinpoint, fields: { name: 'Renamed' } });
const happeningEdited = (happening: number): DomainEvent => ({ type: 'HappeningEdited', happening, fields: { tags: ['new'] } });

/** Pairs of positions, the first one not after the second one. */
const rangesOf = (events: readonly RecordedEvent[]): readonly (readonly [from: number, to: number])[] => {
  const positions = [0, ...events.map(({ position }) => position)];
  return positions.flatMap((from, nth) => positions.slice(nth).map((to) => [from, to] as const));
};

const textsOf = (lines: readonly Line[]) => lines.map(({ object, change, last }) => `${object.id} ${change} ${last.action}`);

describe('the changes of what another object hid', () => {
  it('have the members of a list that was deleted and restored, in both ways, page by page', async () => {
    const events = recorded(
      ...numbers(1, 9).map((id) => pinpointCreated(id)),
      listCreated(1),
      added(1, 1, 2, 3, 4, 5, 6),
      pinpointDeleted(5),
      added(1, 7),
      removed(1, 7),
      listDeleted(1),
      edited(2),
      pinpointDeleted(3),
      listRestored(1),
      removed(1, 4),
      added(1, 8, 9),
      pinpointRestored(5),
      listDeleted(1),
      listRestored(1),
      pinpointDeleted(6),
      edited(8),
    );
    const expected = expectedChanges(events);
    await using(events, async (reads) => {
      for (const [from, to] of rangesOf(events)) {
        const wanted = to < (events[9]?.position ?? 0) ? [] : expected.membersOf('list-1', from, to);
        const texts = wanted.map(({ stream, change, last }) => [stream.slice(stream.indexOf('-') + 1), change, last].join(' '));
        for (const limits of allLimits) {
          for (const limit of [1, 4]) {
            const lines = await linesOf(reads, { from, to, list: 1, limit }, limits);
            expect(lines.map(({ object, change, last }) => `${object.id} ${change} ${last.id}`)).toEqual(texts);
          }
        }
      }
    });
  });

  it('say that the undone deletion of a list showed its members again', async () => {
    const facts = [...numbers(1, 120).map((id) => pinpointCreated(id)), listCreated(1), added(1, ...numbers(1, 120))];
    const events = recorded(...facts, listDeleted(1), listRestored(1));
    const [before = 0, from = 0, to = 0] = events.slice(-3).map(({ position }) => position);
    await using(events, async (reads) => {
      for (const limits of allLimits) {
        const lines = await linesOf(reads, { from, to, list: 1, limit: 20 }, limits);
        expect(textsOf(lines)).toEqual(numbers(1, 120).map((id) => `${id} added list_restored`));
        expect(await linesOf(reads, { from: before, to, list: 1, limit: 20 }, limits)).toEqual([]);
      }
    });
  });

  it('have an event only as it was seen: not without its pinpoint', async () => {
    const events = recorded(
      ...numbers(1, 3).map((id) => pinpointCreated(id)),
      happeningCreated(1, 1),
      happeningCreated(2, 2),
      happeningEdited(1),
      pinpointDeleted(1),
      happeningEdited(1),
      happeningCreated(3, 1),
      happeningMoved(3, 3),
      pinpointRestored(1),
      happeningEdited(1),
      pinpointDeleted(1),
      happeningMoved(1, 3),
      happeningDeleted(2),
      pinpointDeleted(3),
    );
    const expected = expectedChanges(events);
    await using(events, async (reads) => {
      for (const [from, to] of rangesOf(events)) {
        const lines = await linesOf(reads, { from, to, list: null, limit: 3 });
        const wanted = expected.objects(mine, from, to);
        expect(lines.map(({ change, last }) => `${change} ${last.id}`)).toEqual(wanted.map(({ change, last }) => `${change} ${last}`));
        for (const { change, diff } of lines) if (change !== 'changed') expect(diff).toBeNull();
      }
      const ofFirst = async (one: number, other: number) => {
        const [from = 0, to = 0] = [one, other].map((nth) => events[nth]?.position);
        const lines = await linesOf(reads, { from, to, list: null, limit: 20 });
        return textsOf(lines.filter(({ object }) => object.kind === 'events' && object.id === 1));
      };
      expect(await ofFirst(2, 6)).toEqual([]);
      expect(await ofFirst(3, 6)).toEqual(['1 removed edited']);
      expect(await ofFirst(6, 11)).toEqual(['1 added edited']);
      expect(await ofFirst(3, 5)).toEqual(['1 changed edited']);
    });
  });
});
