import type { RecordedEvent } from '@waymark/domain/event.ts';
import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { applyAll, recorder } from '@waymark/read-models/testing/recorder.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import fc from 'fast-check';
import { accountSet } from '../sets.ts';
import { openSqliteHistory } from './history.ts';

const newFile = temporaryFiles();
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

describe('the items of a set at a position', () => {
  it('are those that were in it, in both directions, in parts of any size', async () => {
    const property = fc.asyncProperty(
      fc.array(id, { minLength: 1, maxLength: 60 }),
      id,
      fc.integer({ min: 1, max: 5 }),
      async (ids, from, items) => {
        const { events, present } = eventsOf(ids);
        const history = openSqliteHistory(newFile());
        await applyAll(history.apply, events, [7]);
        await history.read(async (reads) => {
          for (const [at, expected] of present) {
            for (const direction of ['forward', 'backward'] as const) {
              const found: number[] = [];
              for (let beyond: number | null = from; beyond !== null; ) {
                const part = await reads.itemsAt(set, { at, beyond, direction, items, reads: 40 });
                found.push(...part.items);
                beyond = part.next;
              }
              const ascending = [...expected].filter((one) => (direction === 'forward' ? one > from : one < from)).sort((a, b) => a - b);
              expect(found).toEqual(direction === 'forward' ? ascending : ascending.reverse());
            }
          }
        });
        history.close();
      },
    );
    await fc.assert(property, { numRuns: 60, endOnFailure: true });
  });

  it('are found without a look at each of many that were deleted before, or created later', async () => {
    const { record } = recorder();
    const { fields } = sampleEvents.PinpointCreated;
    const ids = Array.from({ length: 70_000 }, (_, index) => index + 1);
    const created = ids.map((pinpoint) => record(account, { type: 'PinpointCreated', account, pinpoint, fields }));
    const deleted = ids.slice(0, -3).map((pinpoint) => record(account, { type: 'PinpointDeleted', pinpoint }));
    const history = openSqliteHistory(newFile());
    await applyAll(history.apply, [...created, ...deleted], [5_000]);
    await history.read(async (reads) => {
      const at = deleted.at(-1)?.position ?? 0;
      const after = await reads.itemsAt(set, { at, beyond: 0, direction: 'forward', items: 20, reads: 50_000 });
      expect(after.items).toEqual(ids.slice(-3));
      expect(after.reads).toBeLessThan(1_000);
      const early = created[19]?.position ?? 0;
      const before = await reads.itemsAt(set, { at: early, beyond: 0, direction: 'forward', items: 21, reads: 50_000 });
      expect(before.items).toEqual(ids.slice(0, 20));
      expect(before.reads).toBeLessThan(1_000);
    });
    history.close();
  });
});
