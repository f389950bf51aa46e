import { sampleEvents } from '@waymark/domain/testing/samples.ts';
import { pinpointCreated } from '@waymark/read-models/testing/facts.ts';
import { histories } from '@waymark/read-models/testing/histories.ts';
import { applyAll, at, beginning, incarnation, recorder } from '@waymark/read-models/testing/recorder.ts';
import { temporaryFiles } from '@waymark/read-models/testing/temporary-files.ts';
import SQLite from 'better-sqlite3';
import fc from 'fast-check';
import { historyContract } from '../contract/history.ts';
import { HistoryUnavailable } from '../history.ts';
import { dump } from '../testing/dump.ts';
import { openSqliteHistory } from './history.ts';

const newFile = temporaryFiles();

historyContract('SQLite', {
  runs: 40,
  open: async () => {
    const file = newFile();
    const history = openSqliteHistory(file);
    return { ...history, dump: async () => dump(file), close: history.close };
  },
});

describe('a history in a file', () => {
  it('is not clean while another connection keeps erased values in the write-ahead log', async () => {
    const { record } = recorder();
    const [created, redacted] = [sampleEvents.PinpointCreated, sampleEvents.PinpointRedacted].map((event) =>
      record(sampleEvents.PinpointCreated.account, event),
    );
    const file = newFile();
    const history = openSqliteHistory(file);
    await applyAll(history.apply, created && redacted ? [created, redacted] : []);
    const other = new SQLite(file, { readonly: true });
    other.exec('BEGIN');
    other.prepare('SELECT count(*) FROM entry').get();
    const cleanAll = async (): Promise<void> => {
      while (await history.clean());
    };
    await expect(cleanAll()).rejects.toThrow(HistoryUnavailable);
    expect(other.prepare('SELECT clean FROM mark').pluck().all()).toEqual([0]);
    other.close();
    await cleanAll();
    const checked = new SQLite(file, { readonly: true });
    expect(checked.prepare('SELECT clean FROM mark').pluck().all()).toEqual([1]);
    checked.close();
    await history.close();
    await expect(history.clean()).rejects.toThrow(HistoryUnavailable);
  });
});

describe('events that are applied while they are read', () => {
  const partsOf = <Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] =>
    Array.from({ length: Math.ceil(items.length / size) }, (_, nth) => items.slice(nth * size, (nth + 1) * size));

  it('make the same rows as events that were read before', async () => {
    await fc.assert(
      fc.asyncProperty(histories({ maxLength: 60 }), fc.integer({ min: 1, max: 20 }), async ({ events }, size) => {
        const [whole, inParts] = [newFile(), newFile()];
        const [one, other] = [openSqliteHistory(whole), openSqliteHistory(inParts)];
        await applyAll(one.apply, events);
        await other.apply(0, 0, [], beginning);
        expect(await other.applyParts(0, 0, incarnation, partsOf(events, size))).toBe(events.at(-1)?.position);
        expect(await other.position(0)).toEqual(await one.position(0));
        await one.close();
        await other.close();
        expect(dump(inParts)).toEqual(dump(whole));
      }),
      { numRuns: 40 },
    );
  });

  it('leave nothing behind if one of them cannot be read', async () => {
    const { record } = recorder();
    const [first, second] = [record('account-a', pinpointCreated(1)), record('account-a', pinpointCreated(2))];
    const [file, expected] = [newFile(), newFile()];
    const [history, other] = [openSqliteHistory(file), openSqliteHistory(expected)];
    const parts = function* () {
      yield [first];
      throw new Error('The log cannot be read.');
    };
    await expect(history.applyParts(0, 0, incarnation, parts())).rejects.toThrow('The log cannot be read.');
    expect(await history.position(0)).toBeUndefined();
    expect(await history.applyParts(0, 0, incarnation, [[first], [second]])).toBe(second.position);
    await other.apply(0, 0, [first, second], at(second));
    await history.close();
    await other.close();
    expect(dump(file)).toEqual(dump(expected));
  });

  it('change nothing at another position, in another log, and if there are none', async () => {
    const { record } = recorder();
    const [first, second] = [record('account-a', pinpointCreated(1)), record('account-a', pinpointCreated(2))];
    const history = openSqliteHistory(newFile());
    expect(await history.applyParts(0, 0, incarnation, [])).toBeUndefined();
    await history.applyParts(0, 0, incarnation, [[first], []]);
    for (const [after, log, parts] of [
      [0, incarnation, [[second]]],
      [first.position, 'another log', [[second]]],
      [first.position, incarnation, [[]]],
    ] as const)
      expect(await history.applyParts(0, after, log, parts)).toBeUndefined();
    expect(await history.position(0)).toEqual(at(first));
    await history.close();
  });
});
