import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { Position } from './event-log.ts';
import { type ScanRange, scan } from './scan.ts';
import { appended, idsOf, newStream, someEvents } from './testing/some-events.ts';
import { logOfItsOwn } from './testing/temporary-logs.ts';

const events = someEvents(10);
let log: Awaited<ReturnType<typeof logOfItsOwn>>;
let positions: readonly Position[];
beforeAll(async () => {
  log = await logOfItsOwn();
  const appends: Position[] = [];
  for (const event of events) appends.push((await appended(log.append(newStream(), [event], 'none'))).position);
  positions = appends;
});
afterAll(() => log.close());

const at = (nth: number): Position => positions[nth] ?? 0;

const scanned = async (range: ScanRange, signal?: AbortSignal): Promise<string[]> => {
  const found: RecordedEvent[] = [];
  await scan(log, range, async (batch) => void found.push(...batch), signal);
  return idsOf(found);
};

describe('a scan of the log', () => {
  it('delivers every event up to the head, and ends there', async () => {
    expect(await scanned({ after: 0, through: (await log.state()).head })).toEqual(idsOf(events));
  });

  it('delivers the events after one position up to another, and none of the later events', async () => {
    expect(await scanned({ after: at(2), through: at(6) })).toEqual(idsOf(events.slice(3, 7)));
  });

  it('ends at the next event where the event at its end has expired', async () => {
    const gap: typeof log.subscribe = (after, handle, signal) =>
      log.subscribe(after, (batch) => handle(batch.filter(({ position }) => position !== at(6))), signal);
    const found: RecordedEvent[] = [];
    await scan({ subscribe: gap }, { after: 0, through: at(6) }, async (batch) => void found.push(...batch));
    expect(idsOf(found)).toEqual(idsOf(events.slice(0, 6)));
  });

  it.each([
    ['an empty log', { after: 0, through: 0 }],
    ['a position that was reached already', { after: 7, through: 3 }],
  ])('delivers nothing and ends at once up to %s', async (_, range) => {
    expect(await scanned(range)).toEqual([]);
  });

  it('ends when the signal aborts, after the batch in progress', async () => {
    const enough = new AbortController();
    const found: string[] = [];
    const one: typeof log.subscribe = (after, handle, signal) =>
      log.subscribe(
        after,
        async (batch) => {
          for (const event of batch) if (!signal.aborted) await handle([event]);
        },
        signal,
      );
    const take = async (batch: readonly RecordedEvent[]): Promise<void> => {
      found.push(...idsOf(batch));
      if (found.length === 4) enough.abort();
    };
    await scan({ subscribe: one }, { after: 0, through: at(9) }, take, enough.signal);
    expect(found).toEqual(idsOf(events.slice(0, 4)));
    expect(await scanned({ after: 0, through: at(9) }, AbortSignal.abort())).toEqual([]);
  });

  it('rejects with the error of its handler', async () => {
    const failing = scan(log, { after: 0, through: at(9) }, () => Promise.reject(new TypeError('no room')));
    await expect(failing).rejects.toThrow('no room');
  });
});
