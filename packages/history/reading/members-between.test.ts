import type { RecordedEvent } from '@waymark/domain/event.ts';
import { histories } from '@waymark/read-models/testing/histories.ts';
import { applyAll } from '@waymark/read-models/testing/recorder.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import fc from 'fast-check';
import type { HistoryEntry } from '../entries.ts';
import type { HistoryReads } from '../history.ts';
import { openSqliteHistory } from '../sqlite/history.ts';
import { expectedChanges } from '../testing/expected-changes.ts';
import { type MembersBetweenLimits, membersBetween } from './members-between.ts';

const newFile = temporaryFiles();

/** With few events, pinpoints that they name are compared; with none, all members are. */
const ways: readonly MembersBetweenLimits[] = [
  { eventsMax: 1_000, together: 200, partsMax: 50 },
  { eventsMax: 1_000, together: 2, partsMax: 1 },
  { eventsMax: 0, together: 200, partsMax: 50 },
  { eventsMax: 0, together: 1, partsMax: 2 },
];

/** Returns the members that differ, page by page. */
const walk = async (reads: HistoryReads, before: HistoryEntry, after: HistoryEntry, limit: number, limits: MembersBetweenLimits) => {
  const [added, removed]: [number[], number[]] = [[], []];
  for (let beyond: number | null = 0; beyond !== null; ) {
    const page = await membersBetween(reads, before, after, { beyond, limit }, limits);
    expect(page.added.length + page.removed.length).toBeLessThanOrEqual(limit);
    added.push(...page.added);
    removed.push(...page.removed);
    beyond = page.next;
  }
  return { added, removed };
};

/** Returns pairs of entries of each list after which it is present. */
const pairsIn = async (reads: HistoryReads, events: readonly RecordedEvent[]) => {
  const streams = new Set(events.map(({ stream }) => stream).filter((stream) => stream.startsWith('list-')));
  const ofLists = await Promise.all([...streams].map((stream) => reads.entries(stream, Number.MAX_SAFE_INTEGER, 100)));
  return ofLists.flatMap((entries) => {
    const versions = entries.filter(({ present }) => present);
    return versions.slice(0, 6).flatMap((one) => versions.slice(-6).map((other) => [one, other] as const));
  });
};

describe('the members of a list that differ between two of its events', () => {
  it('are those of a fold of the log, in both ways, in ascending order, page by page', async () => {
    await fc.assert(
      fc.asyncProperty(histories({ minLength: 20, maxLength: 120 }), fc.integer({ min: 1, max: 4 }), async ({ events }, limit) => {
        const expected = expectedChanges(events);
        const history = openSqliteHistory(newFile());
        await applyAll(history.apply, events);
        await history.read(async (reads) => {
          for (const [before, after] of await pairsIn(reads, events)) {
            const members = expected.membersBetween(before.stream, before.position, after.position);
            for (const way of ways) expect(await walk(reads, before, after, limit, way)).toEqual(members);
          }
        });
        await history.close();
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });
});
