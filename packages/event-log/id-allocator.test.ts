import { allocatorStream } from '@waymark/domain/streams.ts';
import { type EventLog, LogUnavailable } from './event-log.ts';
import { conflictsMax, createIdAllocator, reservedThrough, sealReservation } from './id-allocator.ts';
import { readEnd } from './read-stream.ts';
import { newEventId } from './seal.ts';
import { logOfItsOwn } from './testing/temporary-logs.ts';

let log: Awaited<ReturnType<typeof logOfItsOwn>>;
beforeEach(async () => {
  log = await logOfItsOwn();
});
afterEach(() => log.close());

const stream = allocatorStream('pinpoint');
const ofOthers = 10;

const reserved = async (): Promise<number> => {
  const { event } = await readEnd(log, stream);
  return event === undefined ? 0 : reservedThrough(event);
};

/** Returns a log in which another process reserves ids right before each of the first `conflicts` appends. */
const contended = (conflicts: number): EventLog => {
  let left = conflicts;
  const append: EventLog['append'] = async (to, events, expected) => {
    if (left > 0) {
      left -= 1;
      await log.append(to, [sealReservation(newEventId(), (await reserved()) + ofOthers)], expected);
    }
    return log.append(to, events, expected);
  };
  return { ...log, append };
};

describe('the allocator of ids', () => {
  it('gives out each id once, in blocks that it has reserved', async () => {
    const ids = createIdAllocator(log);
    for (let id = 1; id <= 1_000; id += 1) {
      expect(await ids.next('pinpoint')).toBe(id);
      expect(await reserved()).toBeGreaterThanOrEqual(id);
    }
  });

  it('gives out none of the ids that others have reserved at the same time', async () => {
    const ids = createIdAllocator(contended(conflictsMax - 1));
    expect(await ids.next('pinpoint')).toBe((conflictsMax - 1) * ofOthers + 1);
  });

  it('is unavailable after the maximum number of conflicts in a row, until others reserve less', async () => {
    const ids = createIdAllocator(contended(conflictsMax));
    await expect(ids.next('pinpoint')).rejects.toThrow(LogUnavailable);
    expect(await ids.next('pinpoint')).toBe(conflictsMax * ofOthers + 1);
  });

  it('gives all waiting callers an id from as few blocks as possible', async () => {
    const ids = createIdAllocator(contended(1));
    const given = await Promise.all(Array.from({ length: 100 }, () => ids.next('pinpoint')));
    expect(new Set(given).size).toBe(given.length);
    expect((await readEnd(log, stream)).revision).toBeLessThanOrEqual(2);
  });
});
