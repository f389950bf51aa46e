import { tmpdir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type EvidenceSource, readEvidence } from '@waymark/checkpoints/verification/evidence.ts';
import { partitionOf, partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { isHistory } from '@waymark/domain/streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { scan } from '@waymark/event-log/scan.ts';
import { isNoRoom } from '@waymark/files/no-room.ts';
import { HistoryUnavailable } from '@waymark/history/history.ts';
import type { MongoHistory } from '@waymark/history/mongodb/history.ts';
import { sqliteHistoryDigest } from '@waymark/history/sqlite/digest.ts';
import { openSqliteHistory } from '@waymark/history/sqlite/history.ts';
import type { Verification } from '@waymark/operations/api/answers.ts';
import { checkLog } from '@waymark/operations/check-log.ts';
import { historyNotCompared, notCompared, verificationOf } from '@waymark/operations/verification.ts';
import type { Digest } from '@waymark/read-models/mongodb/read-side.ts';
import type { ReadModels } from '@waymark/read-models/read-models.ts';
import { sqliteDigest, sqliteRebuild } from '@waymark/read-models/sqlite/read-models.ts';
import { inTemporaryFile } from './verification-files.ts';

export type VerifyOptions = {
  readonly log: EventLog;
  /** The memory that the process plans with. */
  readonly memoryBytes: number;
};

type LiveHistory = Pick<ReturnType<MongoHistory['generation']>, 'positions' | 'digest'>;

/** The data that is compared with the log. */
export type Verified = {
  /** Returns the digest of the live read models. */
  readonly readModels: () => Promise<Digest>;
  /** Returns the live history; undefined while there is none. */
  readonly history: () => Promise<LiveHistory | undefined>;
};

/** How long `verify` waits until the history has what the read models have, and nothing of what was erased. */
const historyWaitMs = 60_000;
const pollMs = 500;

/** Compares the log with its own commitments and with signed checkpoints, and the digests of the read models and of the history with those of
 * others that are built from the log. */
export const verify = async (options: VerifyOptions, { readModels, history }: Verified, source: EvidenceSource): Promise<Verification> => {
  const { evidence, unchecked: unread } = await readEvidence(source, await options.log.state());
  const { faults, clocks, checkpoint, unchecked: uncompared } = await checkLog(options.log, evidence);
  const live = await readModels();
  const unchecked = [...unread, ...uncompared];
  const orUnchecked = async <Result>(what: string, check: () => Promise<Result>): Promise<Result | undefined> =>
    check().catch((error) => {
      if (!isNoRoom(error) && !(error instanceof HistoryUnavailable)) throw error;
      const why = (error as Error).message;
      unchecked.push(`${what}: ${isNoRoom(error) ? `${why}, in ${tmpdir()}` : why}`);
      return undefined;
    });
  const rows = await orUnchecked(notCompared, () => rowsFromLog(options, live.positions));
  const past = await orUnchecked(historyNotCompared, async () => {
    const settled = await settledDigest(history, live.positions);
    return { equal: settled.rows === (await historyRowsFromLog(options, settled.positions)), position: furthestOf(settled) };
  });
  return verificationOf({
    log: faults,
    clocks,
    readModels: { equal: rows === live.rows, position: furthestOf(live) },
    history: past ?? { equal: false, position: 0 },
    checkpoint,
    unchecked,
  });
};

const furthestOf = ({ positions }: Pick<Digest, 'positions'>): number => Math.max(...positions.map(({ position }) => position));

/** Returns the digest of the history, once it is at the positions of the read models, in the same log, and has nothing of what was erased.
 * @throws HistoryUnavailable if that takes too long */
const settledDigest = async (history: Verified['history'], through: Digest['positions']): Promise<Digest> => {
  const untilMs = performance.now() + historyWaitMs;
  for (;;) {
    const settled = await digestIfSettled(history, through).catch((error) => {
      // Also where the rows change while they are read, on a server that keeps no snapshots.
      if (!(error instanceof HistoryUnavailable) || performance.now() > untilMs) throw error;
      return undefined;
    });
    if (settled) return settled;
    if (performance.now() > untilMs) throw new HistoryUnavailable('it is not complete yet');
    await pause(pollMs);
  }
};

const digestIfSettled = async (history: Verified['history'], through: Digest['positions']): Promise<Digest | undefined> => {
  const live = await history();
  if (live === undefined || !(await hasAll(live, through))) return undefined;
  const digest = await live.digest();
  return digest.isClean ? digest : undefined;
};

const hasAll = async ({ positions }: LiveHistory, through: Digest['positions']): Promise<boolean> => {
  const reached = await positions();
  return through.every(({ partition, position, incarnation }) => {
    const own = reached[partition];
    return own?.incarnation === incarnation && own.position >= position;
  });
};

/** Returns the digest that the history should have at the given position of each partition, computed from the log. */
const historyRowsFromLog = ({ log }: VerifyOptions, positions: Digest['positions']): Promise<string> =>
  inTemporaryFile('history.db', async (file) => {
    const history = openSqliteHistory(file);
    try {
      await fold(log, positions, history);
      while (await history.clean());
    } finally {
      await history.close();
    }
    return (await sqliteHistoryDigest(file)).rows;
  });

/** Returns the digest that the read models should have at the given position of each partition, computed from the log. */
const rowsFromLog = ({ log, memoryBytes }: VerifyOptions, positions: Digest['positions']): Promise<string> =>
  inTemporaryFile('read-models.db', async (file) => {
    const models = sqliteRebuild({ file, memoryBytes });
    await fold(log, positions, models);
    models.finish();
    return (await sqliteDigest(file)).rows;
  });

/** Applies the events of the log, those of each partition up to its position. */
const fold = async (log: EventLog, positions: Digest['positions'], { apply }: Pick<ReadModels, 'apply'>): Promise<void> => {
  const ends = new Map(positions.map(({ partition, position }) => [partition, position]));
  const end = Math.max(0, ...ends.values());
  const incarnation = positions[0]?.incarnation ?? '';
  let after = 0;
  await apply(0, 0, [], { incarnation, position: 0, event: '' });
  if ((await log.state()).head < end) throw new Error('The log is shorter than what was computed from it.');
  await scan(log, { after, through: end }, async (batch) => {
    const last = batch.at(-1);
    if (last === undefined) return;
    const events = batch.filter(
      ({ stream, position, envelope }) =>
        isHistory(stream) && position <= (ends.get(partitionOf(envelope.account, partitionsOfCluster)) ?? 0),
    );
    await apply(0, after, events, { incarnation, position: last.position, event: last.envelope.id });
    after = last.position;
  });
};
