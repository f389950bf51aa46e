import type { RecordedEvent } from '@waymark/domain/event.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { added, listCreated, numbers, pinpointCreated, pinpointDeleted, removed } from '@waymark/read-models/testing/facts.ts';
import { applyAll, recorder } from '@waymark/read-models/testing/recorder.ts';
import fc from 'fast-check';
import type { HistoryReads, Walk } from '../history.ts';
import { accountSet } from '../sets.ts';
import { type HistoryAdapter, propertiesTimeoutMs, using } from '../testing/subject.ts';

const account = 'account-a';
const set = accountSet(account, 'pinpoint');

/** Ids at the edges of the blocks of both sizes, and between them. */
const id = fc.oneof(
  fc.integer({ min: 1, max: 40 }),
  fc.constantFrom(255, 256, 257, 511, 512, 65_535, 65_536, 65_537, 131_071, 131_072),
  fc.integer({ min: 1, max: 200_000 }),
);

type Present = ReadonlyMap<number, ReadonlySet<number>>;

/** Creates, deletes and restores pinpoints: each id that comes up again changes its state. */
const eventsOf = (ids: readonly number[]): { events: readonly RecordedEvent[]; present: Present } => {
  const { record } = recorder();
  const known = new Set<number>();
  const now = new Set<number>();
  const present = new Map<number, ReadonlySet<number>>();
  const events = ids.map((pinpoint) => {
    const { fields } = sampleEvents.PinpointCreated;
    const type = now.has(pinpoint) ? 'PinpointDeleted' : known.has(pinpoint) ? 'PinpointRestored' : 'PinpointCreated';
    known.add(pinpoint);
    if (!now.delete(pinpoint)) now.add(pinpoint);
    const event = record(account, type === 'PinpointDeleted' ? { type, pinpoint } : { type, account, pinpoint, fields });
    present.set(event.position, new Set(now));
    return event;
  });
  return { events, present };
};

/** Returns all items of a walk, part by part. */
const walked = async (reads: HistoryReads, walk: Walk): Promise<readonly number[]> => {
  const found: number[] = [];
  for (let beyond: number | null = walk.beyond; beyond !== null; ) {
    const part = await reads.itemsAt(set, { ...walk, beyond });
    expect(part.items.length).toBeLessThanOrEqual(walk.items);
    found.push(...part.items.map(({ item }) => item));
    for (const { since, until } of part.items) expect([since <= walk.at, (until ?? walk.at + 1) > walk.at]).toEqual([true, true]);
    beyond = part.next;
  }
  return found;
};

const expectedOf = (present: ReadonlySet<number>, { beyond, direction }: Walk): readonly number[] => {
  const ascending = [...present].filter((one) => (direction === 'forward' ? one > beyond : one < beyond)).sort((one, other) => one - other);
  return direction === 'forward' ? ascending : ascending.reverse();
};

const directions = ['forward', 'backward'] as const;

/** The contract for the items of a set in any history. */
export const itemsContract = ({ open, runs }: HistoryAdapter) => {
  it(
    'are those that were in the set, in both directions, in parts of any size',
    async () => {
      const plan = fc.array(id, { minLength: 1, maxLength: 60 });
      const property = fc.asyncProperty(plan, id, fc.integer({ min: 1, max: 5 }), async (ids, beyond, items) => {
        const { events, present } = eventsOf(ids);
        await using(open, async (history) => {
          await applyAll(history.apply, events, [7]);
          await history.read(async (reads) => {
            for (const [at, expected] of present) {
              for (const direction of directions) {
                const walk = { at, beyond, direction, items, reads: 40 };
                expect(await walked(reads, walk)).toEqual(expectedOf(expected, walk));
              }
            }
          });
        });
      });
      await fc.assert(property, { numRuns: Math.min(runs, 30) });
    },
    propertiesTimeoutMs,
  );

  it('are found without a look at each of many that left before, or came later', async () => {
    const { record } = recorder();
    const ids = numbers(1, 3_000);
    const created = ids.map((pinpoint) => record(account, pinpointCreated(pinpoint, account)));
    const deleted = ids.slice(0, -3).map((pinpoint) => record(account, pinpointDeleted(pinpoint)));
    await using(open, async (history) => {
      await applyAll(history.apply, [...created, ...deleted], [500]);
      const found = (at: number, beyond: number, direction: 'forward' | 'backward') =>
        history.read((reads) => reads.itemsAt(set, { at, beyond, direction, items: 21, reads: 50_000 }));
      const [early = 0, late = 0] = [created[19]?.position, deleted.at(-1)?.position];
      const parts = [await found(late, 0, 'forward'), await found(early, 0, 'forward'), await found(early, 10_000, 'backward')];
      expect(parts.map(({ items }) => items.map(({ item }) => item))).toEqual([
        ids.slice(-3),
        ids.slice(0, 20),
        ids.slice(0, 20).reverse(),
      ]);
      for (const { reads } of parts) expect(reads).toBeLessThan(1_000);
    });
  });

  it('are found although a pinpoint left that never was among them, because it joined before it was created', async () => {
    const { record } = recorder();
    const created = numbers(1, 4).map((pinpoint) => pinpointCreated(pinpoint, account));
    const facts = [listCreated(1, account), added(1, 1, 2, 3, 4, 5), removed(1, 1, 2, 3), pinpointCreated(5, account), removed(1, 5)];
    const events = [...created, ...facts].map((fact) => record(account, fact));
    await using(open, async (history) => {
      await applyAll(history.apply, events, [1]);
      const walk = { at: events.at(-1)?.position ?? 0, beyond: 0, direction: 'forward', items: 1, reads: 40 } as const;
      expect(await history.read((reads) => reads.itemsAt('list-1', walk))).toMatchObject({ items: [{ item: 4 }] });
    });
  });

  it(
    'are found among thousands that came or left at other times, and where one item came and left a thousand times',
    async () => {
      const many = Array.from({ length: 2_300 }, (_, index) => index + 1);
      const left = many.filter((one) => one % 7 !== 0);
      const restless = Array.from({ length: 2_100 }, () => 1_000);
      const later = Array.from({ length: 1_200 }, (_, index) => 5_001 + index);
      const { events, present } = eventsOf([...many, ...left, ...restless, ...later]);
      const moments = [many, [...many, ...left], [...many, ...left, ...restless.slice(0, 1_001)]].map(
        ({ length }) => events[length - 1]?.position ?? 0,
      );
      await using(open, async (history) => {
        await applyAll(history.apply, events, [500]);
        await history.read(async (reads) => {
          for (const at of moments) {
            for (const direction of directions) {
              const walk = { at, beyond: direction === 'forward' ? 0 : 10_000, direction, items: 400, reads: 50_000 };
              expect(await walked(reads, walk)).toEqual(expectedOf(present.get(at) ?? new Set(), walk));
            }
          }
        });
      });
    },
    propertiesTimeoutMs,
  );
};
