import type { DomainEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { added, listCreated, mine, numbers, pinpointCreated, removed, theirs } from '@waymark/read-models/testing/facts.ts';
import { applyAll, recorder } from '@waymark/read-models/testing/recorder.ts';
import type { HistoryReads } from '../history.ts';
import type { HistoryUnderTest } from '../testing/subject.ts';

const edits = 60;
const rounds = 40;
const limit = 7;
const end = Number.MAX_SAFE_INTEGER;

/** Returns an event that was sealed at a time. */
const sealedAt = (time: string, event: RecordedEvent): RecordedEvent => ({ ...event, envelope: { ...event.envelope, time } });

type Placed = { readonly position: number };

export const pagesContract = (history: () => HistoryUnderTest) => {
  /** One pinpoint that was edited, and was added to a list and removed from it, again and again. */
  const events = () => {
    const { record } = recorder();
    const edit = (nth: number): DomainEvent => ({ ...sampleEvents.PinpointEdited, pinpoint: 1, fields: { name: `Name ${nth}` } });
    const moves = numbers(1, rounds).flatMap(() => [added(1, 1), removed(1, 1)]);
    return [pinpointCreated(1), listCreated(1), ...numbers(1, edits).map(edit), ...moves].map((fact) => record(mine, fact));
  };
  const walk = <Item extends Placed>(read: (reads: HistoryReads, before: number) => Promise<readonly Item[]>) =>
    history().read(async (reads) => {
      const items: Item[] = [];
      for (;;) {
        const page = await read(reads, items.at(-1)?.position ?? end);
        items.push(...page);
        if (page.length < limit) return items;
      }
    });

  it('of entries lead from the newest to the oldest, each once', async () => {
    const all = events();
    await applyAll(history().apply, all);
    const walked = await walk(({ entries }, before) => entries('pinpoint-1', before, limit));
    expect(walked.map(({ revision }) => revision)).toEqual(numbers(0, edits).reverse());
  });

  it('of the entries of an object with many revisions have all of them, however unevenly they came', async () => {
    const { record } = recorder();
    const edit = (pinpoint: number, nth: number): DomainEvent => ({
      ...sampleEvents.PinpointEdited,
      pinpoint,
      fields: { name: `Name ${nth}` },
    });
    const sparse = numbers(1, 40).flatMap((nth) => [edit(1, nth), ...numbers(1, 20).map((other) => edit(2, other))]);
    const facts = [pinpointCreated(1), pinpointCreated(2), ...numbers(1, 600).map((nth) => edit(1, nth)), ...sparse, edit(1, 0)];
    const all = facts.map((fact) => record(mine, fact));
    await applyAll(history().apply, all);
    const positions = all.filter(({ stream }) => stream === 'pinpoint-1').map(({ position }) => position);
    const walked = await walk(({ entries }, before) => entries('pinpoint-1', before, limit));
    expect(walked.map(({ position }) => position)).toEqual(positions.toReversed());
    for (const through of [...positions.filter((_, nth) => nth % 50 === 0), end - 1]) {
      const last = await history().read(({ lastEntries }) => lastEntries(['pinpoint-1'], through));
      expect([...last.values()].map(({ position }) => position)).toEqual([positions.findLast((position) => position <= through)]);
    }
  });

  it('of relations lead from the newest to the oldest, each once', async () => {
    const all = events();
    await applyAll(history().apply, all);
    const walked = await walk(({ relationChanges }, before) => relationChanges('pinpoint-1', before, limit));
    const moves = all.slice(-2 * rounds).map(({ position }) => position);
    expect(walked.map(({ position }) => position)).toEqual(moves.reverse());
    expect(walked.map(({ began }) => began)).toEqual(numbers(1, 2 * rounds).map((nth) => nth % 2 === 0));
  });

  it("of activity begin before a position that has another account's event, or none", async () => {
    const { record, housekeeping } = recorder();
    const own = [1, 2].map((id) => sealedAt('2026-06-01T10:00:01.000Z', record(mine, pinpointCreated(id))));
    // Sealed earlier, and appended later.
    const others = sealedAt('2026-06-01T10:00:00.000Z', record(theirs, pinpointCreated(3, theirs)));
    const all = [...own, others, housekeeping(), sealedAt('2026-06-01T10:00:02.000Z', record(mine, pinpointCreated(4)))];
    await applyAll(history().apply, all);
    for (const { position: before } of all.slice(2, 4)) {
      const query = { before, sinceMs: 0, untilMs: null, filter: {}, entries: limit, reads: 1_000 };
      const { entries } = await history().read((reads) => reads.activity(mine, query));
      expect(entries.map(({ stream }) => stream)).toEqual(['pinpoint-2', 'pinpoint-1']);
    }
  });

  it('of intervals have exactly those that reach into a range', async () => {
    const all = events();
    await applyAll(history().apply, all);
    const moves = all.slice(-2 * rounds).map(({ position }) => position);
    for (const nth of [0, 1, 30, 31, 2 * rounds - 1]) {
      const range = { after: (moves[nth] ?? 0) - 1, through: moves[nth + 2] ?? end };
      const expected = moves
        .flatMap((since, index) => (index % 2 === 0 ? [{ set: 'list-1', item: 1, since, until: moves[index + 1] ?? null }] : []))
        .filter(({ since, until }) => since <= range.through && (until ?? end) > range.after);
      expect(await history().read(({ intervalsOf }) => intervalsOf('pinpoint-1', range))).toEqual(expected);
      const ofItems = await history().read(({ intervalsIn }) => Promise.all([1, 0, 2].map((item) => intervalsIn('list-1', item, range))));
      expect(ofItems).toEqual([expected, [], []]);
    }
  });

  it('do not matter to reads of the intervals at a position: an item that came and left often hides no other', async () => {
    const { record } = recorder();
    const moves = numbers(1, rounds).flatMap(() => [added(1, 1), removed(1, 1)]);
    const facts = [...[1, 2, 3].map((id) => pinpointCreated(id)), ...[1, 2, 3].map((id) => listCreated(id)), added(1, 1, 2), added(3, 1)];
    const all = [...facts, removed(1, 1), ...moves].map((fact) => record(mine, fact));
    await applyAll(history().apply, all);
    const [last = 0, gone = 0] = all.slice(-2).map(({ position }) => position);
    const joined = all[facts.length - 2]?.position ?? 0;
    const second = [2, { set: 'list-1', item: 2, since: joined, until: null }];
    const at = (position: number) => history().read(async (reads) => [...(await reads.intervalsAt('list-1', [1, 2, 3], position))]);
    expect(await at(last)).toEqual([[1, { set: 'list-1', item: 1, since: last, until: gone }], second]);
    expect(await at(end - 1)).toEqual([second]);
    expect(await at(joined - 1)).toEqual([]);
    const setsAt = (position: number, few: number) => history().read((reads) => reads.setsAt('pinpoint-1', position, few));
    expect(await setsAt(last, 1_000)).toEqual({ sets: ['list-1', 'list-3'], isAll: true });
    expect(await setsAt(end - 1, 1_000)).toEqual({ sets: ['list-3'], isAll: true });
    const part = await setsAt(last, 2);
    expect([part.isAll, part.sets.length]).toEqual([false, 1]);
  });
};
