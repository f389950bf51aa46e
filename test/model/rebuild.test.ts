import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isHistory } from '@waymark/domain/streams.ts';
import type { ReadModels } from '@waymark/read-models/read-models.ts';
import { openSqliteReadModels, sqliteRebuild } from '@waymark/read-models/sqlite/read-models.ts';
import fc from 'fast-check';
import { inFlight } from '../api/client.ts';
import { seededRun } from '../crash/random.ts';
import { somePictures } from './commands/pictures.ts';
import { parameters, testMs, within } from './parameters.ts';
import { dumpOf, type Log, liveFile, logOf } from './rebuild/files.ts';
import { anyWrite, newWriter } from './rebuild/writing.ts';
import { useServer } from './server.ts';

const eventsMin = 20_000;
const atOnce = 32;
const roundWrites = 2_500;

const server = useServer();
const folder = mkdtempSync(join(tmpdir(), 'waymark-rebuild-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let log: Log;
let live: readonly string[] = [];

/** Returns a dump without the position. It moves without a change of the content: the server also appends refused requests. */
const rowsOf = (file: string): readonly string[] => dumpOf(file).filter((row) => !row.startsWith('["position"'));

const historyOf = ({ events }: Log): number => events.filter(({ stream }) => isHistory(stream)).length;

/** Makes random writes over HTTP by three accounts, with some kills, until the log has `eventsMin` events of history. */
const write = (): Promise<void> =>
  seededRun(async (random) => {
    const any = anyWrite(server(), await somePictures());
    const writers = await Promise.all(['one', 'two', 'three'].map((account) => newWriter(server(), account)));
    for (let rounds = 1; log === undefined || historyOf(log) < eventsMin; rounds += 1) {
      await inFlight(atOnce, [...Array(roundWrites).keys()], (nth) => {
        const writer = writers[nth % writers.length];
        return writer === undefined ? Promise.resolve() : any(writer, random);
      });
      if (rounds % 4 === 0) await server().restart('SIGKILL');
      log = logOf(server().directory);
    }
  });

/** Applies the log in batches of these sizes, repeated as often as needed. */
const applyIn = async ({ apply }: Pick<ReadModels, 'apply'>, sizes: readonly number[]): Promise<void> => {
  const { incarnation } = log.state;
  let position = 0;
  await apply(0, 0, [], { incarnation, position, event: '' });
  for (let from = 0, nth = 0; from < log.events.length; nth += 1) {
    const batch = log.events.slice(from, from + (sizes[nth % sizes.length] ?? 1));
    const last = batch.at(-1);
    if (last === undefined) return;
    expect(await apply(0, position, batch, { incarnation, position: last.position, event: last.envelope.id })).toBe(true);
    position = last.position;
    from += batch.length;
  }
};

const applied = async (sizes: readonly number[]): Promise<readonly string[]> => {
  const file = join(folder, `${Math.random()}.db`);
  const models = openSqliteReadModels({ file, mode: 'writer' });
  await applyIn(models, sizes);
  models.close();
  return rowsOf(file);
};

const rebuilt = async (sizes: readonly number[]): Promise<readonly string[]> => {
  const file = join(folder, `${Math.random()}.db`);
  const models = sqliteRebuild({ file });
  await applyIn(models, sizes);
  models.finish();
  return rowsOf(file);
};

/** Compares row by row, so that a failure shows the rows that differ. */
const expectSame = (dump: readonly string[]): void => {
  expect(dump.filter((row, at) => row !== live[at]).slice(0, 5)).toEqual([]);
  expect(dump.length).toBe(live.length);
};

const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 6_000 })), { minLength: 1, maxLength: 20 });

describe(`read models that were kept up to date through ${eventsMin} random events`, () => {
  beforeAll(async () => {
    await write();
    live = rowsOf(liveFile(server().directory));
  }, testMs);

  it('equal the log, as verify reports', async () => {
    const answer = await server().operator('POST', '/verify');
    expect(answer.body).toMatchObject({
      sound: true,
      log: [],
      clocks: [],
      readModels: { equal: true, position: expect.any(Number) },
      history: { equal: true, position: expect.any(Number) },
      unchecked: [],
    });
  });

  it('were made from enough events, of at least 16 types', () => {
    const types = new Set(log.events.filter(({ stream }) => isHistory(stream)).map(({ envelope }) => envelope.type));
    expect(historyOf(log)).toBeGreaterThanOrEqual(eventsMin);
    expect(types.size).toBeGreaterThanOrEqual(16);
    expect(log.events.length).toBeGreaterThan(historyOf(log));
  });

  it(
    'are, row by row, the result of applying the log, in batches of any size',
    async () => {
      expectSame(await applied([1]));
      const property = fc.asyncProperty(
        sizes,
        within(10_000, async (cut: readonly number[]) => expectSame(await applied(cut))),
      );
      await fc.assert(property, parameters(4));
    },
    testMs,
  );

  it(
    'are, row by row, the result of a rebuild, in batches of any size',
    async () => {
      expectSame(await rebuilt([1]));
      const property = fc.asyncProperty(
        sizes,
        within(10_000, async (cut: readonly number[]) => expectSame(await rebuilt(cut))),
      );
      await fc.assert(property, parameters(4));
    },
    testMs,
  );

  it(
    'stay the same through a rebuild of the running server',
    async () => {
      const before = liveFile(server().directory);
      expect((await server().operator('POST', '/rebuild')).status).toBe(200);
      const after = liveFile(server().directory);
      expect(after).not.toBe(before);
      expectSame(rowsOf(after));
    },
    testMs,
  );

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'are the same again after they are lost while the server is down: %s',
    async (signal) => {
      await server().restart(signal, () => rmSync(join(server().directory, 'read-models'), { recursive: true }));
      expectSame(rowsOf(liveFile(server().directory)));
    },
    testMs,
  );
});
