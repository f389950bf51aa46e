import type { RecordedEvent } from '@waymark/domain/event.ts';
import { isHistory } from '@waymark/domain/streams.ts';
import { accounts, histories } from '@waymark/read-models/testing/histories.ts';
import { applyAll } from '@waymark/read-models/testing/recorder.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import fc from 'fast-check';
import { openSqliteHistory } from '../sqlite/history.ts';
import { allCollections, asOfReader, everything, everythingOfAll, recordLive } from '../testing/walks.ts';
import { momentOf } from './moment.ts';

const newFile = temporaryFiles();
const begunMs = Date.parse('2026-06-01T08:00:00.000Z');

/** Gives events the times of two writers, one of which is ahead of the other by `skewMs`. */
const timed = (events: readonly RecordedEvent[], writers: readonly boolean[], skewMs: number): readonly RecordedEvent[] =>
  events.map((event, index) => {
    const timeMs = begunMs + index * 20 + (writers[index % writers.length] ? skewMs : 0);
    return { ...event, envelope: { ...event.envelope, time: new Date(timeMs).toISOString() } };
  });

/** Returns the position that a time means for an account, event by event. */
const expectedPosition = (events: readonly RecordedEvent[], account: string, timeMs: number): number => {
  let [latestMs, position] = [0, 0];
  for (const { envelope, stream, ...event } of events) {
    if (envelope.account !== account || !isHistory(stream)) continue;
    latestMs = Math.max(latestMs, Date.parse(envelope.time));
    if (latestMs > timeMs) break;
    position = event.position;
  }
  return position;
};

/** Mixes the events of the accounts in another way, as an import does. Each account keeps its order; positions are new. */
const imported = (events: readonly RecordedEvent[], turns: readonly boolean[]): readonly RecordedEvent[] => {
  const rest = accounts.map((account) => events.filter(({ envelope }) => envelope.account === account));
  const mixed: RecordedEvent[] = [];
  for (let turn = 0; rest.some(({ length }) => length > 0); turn += 1) {
    const [first = [], second = []] = turns[turn % turns.length] ? rest : [...rest].reverse();
    const event = (first.length > 0 ? first : second).shift();
    if (event) mixed.push({ ...event, position: 5 * mixed.length + 7 });
  }
  return mixed;
};

const someFlags = fc.array(fc.boolean(), { minLength: 5, maxLength: 40 });

describe('a moment', () => {
  it('that is a time means the last position by then, also with two writers whose clocks differ by 300 ms', async () => {
    await fc.assert(
      fc.asyncProperty(
        histories({ minLength: 20, maxLength: 80 }),
        someFlags,
        fc.array(fc.integer({ min: -10, max: 2_500 }), { minLength: 10, maxLength: 10 }),
        async ({ events: plain }, writers, offsets) => {
          const events = timed(plain, writers, 300);
          const history = openSqliteHistory(newFile());
          await applyAll(history.apply, events, [3]);
          await history.read(async (reads) => {
            for (const account of accounts) {
              for (const timeMs of offsets.map((offset) => begunMs + offset)) {
                const moment = await momentOf(reads, account, new Date(timeMs).toISOString());
                expect([timeMs, moment]).toMatchObject([timeMs, { position: expectedPosition(events, account, timeMs) }]);
              }
            }
          });
          await history.close();
        },
      ),
      { numRuns: 40, endOnFailure: true },
    );
  });

  it('shows the same after an import, which keeps the order of each account and no position', async () => {
    await fc.assert(
      fc.asyncProperty(
        histories({ minLength: 30, maxLength: 80, apart: true }),
        someFlags,
        fc.array(fc.nat({ max: 1_000 }), { minLength: 3, maxLength: 3 }),
        async ({ events }, turns, picks) => {
          const known = events.filter(({ envelope }) => envelope.account !== '');
          const live = await recordLive(newFile(), known, new Set(picks.map((pick) => pick % known.length)), everythingOfAll(3));
          const arrived = imported(known, turns);
          const history = openSqliteHistory(newFile());
          await applyAll(history.apply, arrived, [4]);
          await history.read(async (reads) => {
            for (const [position, seen] of live) {
              const event = known.find((one) => one.position === position);
              const index = event?.envelope.account === accounts[0] ? 0 : 1;
              const moment = arrived.find(({ envelope }) => envelope.id === event?.envelope.id)?.position ?? 0;
              expect(await everything(asOfReader(reads, moment), accounts[index], 3)).toEqual(seen[index]);
            }
          });
          await history.close();
        },
      ),
      { numRuns: 30, endOnFailure: true },
    );
  });

  it('shows what clients got, at 200 moments of 5,000 events', async () => {
    const [events = []] = fc
      .sample(histories({ minLength: 5_000, maxLength: 5_000 }), { numRuns: 1 })
      .map(({ events }) => events.filter(({ stream }) => isHistory(stream)));
    const order = [...events.keys()].map((index) => (index * 7_919) % events.length);
    const moments = new Set(order.slice(0, 200));
    const collectionsOf = (position: number) => allCollections.filter((_, nth) => (position + nth) % 3 === 0);
    const accountOf = (position: number) => accounts[position % 2] ?? '';
    const live = await recordLive(newFile(), events, moments, (page, { position }) =>
      everything(page, accountOf(position), 50, collectionsOf(position)),
    );
    const history = openSqliteHistory(newFile());
    await applyAll(history.apply, events, [500]);
    await history.read(async (reads) => {
      for (const [position, seen] of live) {
        expect(await everything(asOfReader(reads, position), accountOf(position), 50, collectionsOf(position))).toEqual(seen);
      }
    });
    await history.close();
    expect(live.size).toBe(moments.size);
  }, 300_000);
});
