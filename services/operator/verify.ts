import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { partitionOf, partitionsOfCluster } from '@waymark/domain/partitions.ts';
import { isHistory } from '@waymark/domain/streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { scan } from '@waymark/event-log/scan.ts';
import { isNoRoom } from '@waymark/files/no-room.ts';
import type { Verification } from '@waymark/operations/api/answers.ts';
import { checkLog } from '@waymark/operations/check-log.ts';
import { notCompared, verificationOf } from '@waymark/operations/verification.ts';
import type { Digest } from '@waymark/read-models/mongodb/read-side.ts';
import { sqliteDigest, sqliteRebuild } from '@waymark/read-models/sqlite/read-models.ts';

export type VerifyOptions = {
  readonly log: EventLog;
  /** The memory that the process plans with. */
  readonly memoryBytes: number;
};

/** Compares the log with its own commitments, and the digest of the read models with that of read models rebuilt from the log. */
export const verify = async ({ log, memoryBytes }: VerifyOptions, digest: () => Promise<Digest>): Promise<Verification> => {
  const findings = await checkLog(log);
  const live = await digest();
  const unchecked: string[] = [];
  const rows = await rowsFromLog({ log, memoryBytes }, live.positions).catch((error) => {
    if (!isNoRoom(error)) throw error;
    unchecked.push(`${notCompared}: ${(error as Error).message}`);
  });
  const equal = rows === live.rows;
  const position = Math.max(...live.positions.map((partition) => partition.position));
  return verificationOf({ log: findings, readModels: { equal, position }, unchecked });
};

/** Returns the digest that the read models should have at the given position of each partition, computed from the log. */
const rowsFromLog = async (options: VerifyOptions, positions: Digest['positions']): Promise<string> => {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-verification-'));
  const file = join(directory, 'read-models.db');
  try {
    await fill(options, file, positions);
    return (await sqliteDigest(file)).rows;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

const fill = async ({ log, memoryBytes }: VerifyOptions, file: string, positions: Digest['positions']): Promise<void> => {
  const ends = new Map(positions.map(({ partition, position }) => [partition, position]));
  const end = Math.max(0, ...ends.values());
  const models = sqliteRebuild({ file, memoryBytes });
  const incarnation = positions[0]?.incarnation ?? '';
  let after = 0;
  await models.apply(0, 0, [], { incarnation, position: 0, event: '' });
  if ((await log.state()).head < end) throw new Error('The log is shorter than the read models.');
  await scan(log, { after, through: end }, async (batch) => {
    const last = batch.at(-1);
    if (last === undefined) return;
    const events = batch.filter(
      ({ stream, position, envelope }) =>
        isHistory(stream) && position <= (ends.get(partitionOf(envelope.account, partitionsOfCluster)) ?? 0),
    );
    await models.apply(0, after, events, { incarnation, position: last.position, event: last.envelope.id });
    after = last.position;
  });
  models.finish();
};
