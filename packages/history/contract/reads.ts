import type { RecordedEvent } from '@waymark/domain/event.ts';
import { isHistory } from '@waymark/domain/streams.ts';
import { sampleEnvelope } from '@waymark/domain/testing/samples.ts';
import { erasures } from '@waymark/read-models/testing/erasures.ts';
import { accounts, histories } from '@waymark/read-models/testing/histories.ts';
import { interleavings } from '@waymark/read-models/testing/interleavings.ts';
import { applyAll } from '@waymark/read-models/testing/recorder.ts';
import fc from 'fast-check';
import type { HistoryEntry, Interval } from '../entries.ts';
import type { ActivityFilter, ActivityQuery, HistoryReads, ItemsAt, LaterQuery } from '../history.ts';
import { accountSet } from '../sets.ts';
import { modelReads } from '../testing/model.ts';
import { cleaned, type HistoryAdapter, propertiesTimeoutMs, searchOf, using } from '../testing/subject.ts';

const limit = 3;
/** The number of entries that a part compares. */
const readsOfPart = 7;
const revisions = [2, 0, 1, 2, 9];

/** Runs some reads at one position. An adapter limits the time of each call. */
type Read = <Value>(use: (reads: HistoryReads) => Promise<Value>) => Promise<Value>;

/** What every read returns that some events give cause to, in the order of the streams, as one value. */
const all = async (read: Read, events: readonly RecordedEvent[], isCleaned: boolean) => {
  const history = events.filter(({ stream }) => isHistory(stream));
  const streams = [...new Set(history.map(({ stream }) => stream)), 'pinpoint-99'].sort();
  const positions = history.map(({ position }) => position);
  const middle = positions[Math.floor(positions.length / 2)] ?? 0;
  const found: unknown[] = [await read((reads) => reads.entriesAtPositions([...positions, middle, 2 ** 40]))];
  found.push(await read((reads) => lasts(reads, streams, middle)));
  for (const query of activityQueries(history, middle, isCleaned)) found.push(await read((reads) => activity(reads, query, middle)));
  found.push(await read((reads) => entriesFound(reads, history)));
  for (const stream of streams) {
    found.push(await read((reads) => ofStream(reads, stream, middle)));
    if (isCleaned) found.push(await read((reads) => intervals(reads, stream, middle)));
  }
  if (isCleaned) for (const set of sets) found.push(await read((reads) => items(reads, set, middle)));
  return found;
};

const lasts = async (reads: HistoryReads, streams: readonly string[], middle: number) => {
  const found: unknown[] = [];
  for (const through of [0, middle, Number.MAX_SAFE_INTEGER - 1]) found.push([...(await reads.lastEntries(streams, through))].sort());
  for (const [stream, { account, revision, present, origins }] of [...(await reads.lastStates(streams))].sort())
    found.push([stream, account, revision, present, origins]);
  return found;
};

const activity = async (reads: HistoryReads, query: ActivityQuery, middle: number) => {
  const { entries } = await reads.activity(accounts[0], query);
  return [entries, await later(reads, { ...query, after: 0 }), await later(reads, { ...query, after: middle })];
};

/** Returns the entries that an event's id or a time finds. */
const entriesFound = async (reads: HistoryReads, history: readonly RecordedEvent[]) => {
  const found: unknown[] = [];
  for (const { envelope } of history.slice(0, 5)) found.push(await reads.entryOf(envelope.id));
  found.push(await reads.entryOf('event-none'));
  for (const timeMs of [0, Date.parse(sampleEnvelope.time), Number.MAX_SAFE_INTEGER]) found.push(await reads.entryAt(accounts[1], timeMs));
  return found;
};

const ofStream = async (reads: HistoryReads, stream: string, middle: number) => {
  const found: unknown[] = [];
  for (const before of [middle, middle + 1, Number.MAX_SAFE_INTEGER]) {
    found.push(await reads.entries(stream, before, limit), await reads.relationChanges(stream, before, limit));
  }
  found.push(await reads.entriesAt(stream, revisions), [...(await reads.values(stream, revisions))].sort());
  found.push(await reads.erased(stream));
  return found;
};

/** Returns the entries of all parts that follow a position, and where they end. */
const later = async (reads: HistoryReads, query: LaterQuery): Promise<unknown> => {
  const found: HistoryEntry[] = [];
  for (let after = query.after; ; ) {
    const { entries, through, isEnd } = await reads.laterActivity(accounts[0], { ...query, after, reads: readsOfPart });
    found.push(...entries);
    after = through;
    if (isEnd) return { found, through };
  }
};

/** Queries with each filter, and with some of them together. */
const activityQueries = (events: readonly RecordedEvent[], middle: number, isCleaned: boolean): readonly ActivityQuery[] => {
  const filters: ActivityFilter[] = [
    {},
    { stream: 'pinpoint-1' },
    { streams: 'list-' },
    { actor: sampleEnvelope.actor },
    { actor: 'another' },
    { types: ['PinpointEdited', 'ListCreated'], streams: 'pinpoint-' },
    { correlation: sampleEnvelope.correlation },
    { correlation: events[0]?.envelope.id ?? '' },
    { requests: ['x', sampleEnvelope.request ?? ''] },
    // What only erased values have found is left out by the callers until it is cleaned.
    ...(isCleaned ? [{ field: 'name' }, { movedMetres: 0 }] : []),
  ];
  return filters.flatMap((filter) => [
    { filter, before: Number.MAX_SAFE_INTEGER, sinceMs: 0, untilMs: null, entries: limit, reads: 50_000 },
    { filter, before: middle, sinceMs: 0, untilMs: Date.parse(sampleEnvelope.time), entries: 100, reads: 50_000 },
  ]);
};

const intervals = async (reads: HistoryReads, stream: string, middle: number) => {
  const found: unknown[] = [];
  for (const range of [
    { after: 0, through: Number.MAX_SAFE_INTEGER },
    { after: middle, through: Number.MAX_SAFE_INTEGER },
    { after: 0, through: middle },
    { after: middle - 4, through: middle + 4 },
  ]) {
    found.push(await reads.intervalsOf(stream, range));
    for (const set of ['list-1', 'pinpoint-1', accountSet('account-a', 'pinpoint'), accountSet('account-a', 'list')]) {
      // At once: an adapter may read them together.
      for (const limit of [undefined, 1, 3]) {
        found.push(await Promise.all([2, 1, 3].map((item) => reads.intervalsIn(set, item, range, limit))));
      }
    }
  }
  for (const at of [middle, Number.MAX_SAFE_INTEGER - 1]) {
    found.push(await reads.setsAt(stream, at, 1_000));
    for (const set of ['list-1', 'pinpoint-1', accountSet('account-a', 'pinpoint')]) {
      found.push([...(await reads.intervalsAt(set, [3, 1, 2, 1, 99], at))]);
    }
  }
  return found;
};

const kinds = ['pinpoint', 'list', 'happening'] as const;
const sets = [...accounts.flatMap((account) => kinds.map((kind) => accountSet(account, kind))), 'list-1', 'list-2', 'pinpoint-1'];

/** Returns the items of a set at some positions, in both directions, one by one. */
const items = async (reads: HistoryReads, set: string, middle: number) => {
  const found: Interval[][] = [];
  for (const at of [middle, Number.MAX_SAFE_INTEGER - 1]) {
    for (const [direction, first] of [['forward', 0] as const, ['backward', 1_000] as const]) {
      const all: Interval[] = [];
      for (let beyond: number | null = first; beyond !== null; ) {
        const part: ItemsAt = await reads.itemsAt(set, { at, beyond, direction, items: 1, reads: 50_000 });
        all.push(...part.items);
        beyond = part.next;
      }
      found.push(all);
    }
  }
  return found;
};

/** Runs reads on the model of a history. */
const readOf = (events: readonly RecordedEvent[]): Read => {
  const reads = modelReads(events);
  return (use) => use(reads);
};

/** The contract for the reads of any history. */
export const readsContract = ({ open, runs }: HistoryAdapter) => {
  const compare = (events: readonly RecordedEvent[], size: number, isCleaned: boolean) =>
    using(open, async (history) => {
      await applyAll(history.apply, events, [size]);
      expect(await all(history.read, events, isCleaned)).toEqual(await all(readOf(events), events, isCleaned));
    });
  const sizes = fc.integer({ min: 1, max: 40 });

  it.each([
    ['', histories],
    [', of events that refer to pinpoints which are created later', interleavings],
  ])(
    'reads return what a search of lists finds%s',
    async (_, logs) => {
      await fc.assert(
        fc.asyncProperty(logs({ maxLength: 60 }), sizes, ({ events }, size) => compare(events, size, true)),
        searchOf({ runs }),
      );
    },
    propertiesTimeoutMs,
  );

  it(
    'reads return nothing that was erased, before the history is cleaned',
    async () => {
      await fc.assert(
        fc.asyncProperty(erasures({ minLength: 10, maxLength: 60 }), sizes, ({ written }, size) => compare(written, size, false)),
        searchOf({ runs }),
      );
    },
    propertiesTimeoutMs,
  );

  it(
    'reads return the same as if the history had never had what was erased, once it is cleaned',
    async () => {
      await fc.assert(
        fc.asyncProperty(erasures({ minLength: 10, maxLength: 60 }), sizes, ({ written, left }, size) =>
          using(open, async (history) => {
            await applyAll(history.apply, written, [size]);
            await cleaned(history);
            expect(await all(history.read, left, true)).toEqual(await all(readOf(left), left, true));
          }),
        ),
        searchOf({ runs }),
      );
    },
    propertiesTimeoutMs,
  );
};
