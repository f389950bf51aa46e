// The thread that checks a log. `maintenance.ts` starts it.

import { parentPort, workerData } from 'node:worker_threads';
import type { Envelope, RecordedEvent } from '@waymark/domain/event.ts';
import { contradictionAt, isContradictory } from '@waymark/domain/event-types.ts';
import { erasuresStream, isHistory } from '@waymark/domain/streams.ts';
import type Database from 'better-sqlite3';
import type { CheckedLog } from '../checked-log.ts';
import { clockJumpMs, createClockJumps } from '../clock-jumps.ts';
import { checkErasedStreams } from '../erasure/erased-streams.ts';
import { type EventLog, readEventsMax } from '../event-log.ts';
import { readEvents } from '../read-stream.ts';
import { isAltered } from '../seal.ts';
import { createLogReader } from './reader.ts';
import { openReader } from './schema.ts';

/** How many rows are read at once. The limits keep every read transaction short and its memory small. */
const placesMax = 1_000;
const contentsMax = 50;

type EventLocation = [stream: string, revision: number, position: number];
type Kept = [position: number, envelope: string, salt: string | null, content: string | null];

/** Yields the faults that SQLite itself finds in the file. */
function* findDamage(db: Database.Database, findingsMax: number): Generator<string> {
  for (const line of db.prepare<[], string>(`pragma integrity_check(${findingsMax})`).pluck().all()) {
    if (line !== 'ok') yield `file: ${line}`;
  }
}

/** Yields streams whose revisions have gaps or whose positions do not increase. The first events of housekeeping streams may have expired. */
function* findDisorder(db: Database.Database): Generator<string> {
  const next = db.prepare<[string, number], EventLocation>(
    `select stream, revision, position from event where (stream, revision) > (?, ?) order by stream, revision limit ${placesMax}`,
  );
  let before: EventLocation = ['', -1, 0];
  for (const place of paged((last: EventLocation | undefined) => next.raw().all(last?.[0] ?? '', last?.[1] ?? -1))) {
    const [stream, revision, position] = place;
    const first = stream !== before[0];
    const name = `${stream}, revision ${revision}`;
    if (first && revision !== 0 && isHistory(stream)) yield `${name}: the revisions before it are missing`;
    if (!first && revision !== before[1] + 1) yield `${name}: it follows revision ${before[1]}`;
    if (!first && position <= before[2]) yield `${name}: its position ${position} does not follow ${before[2]}`;
    before = place;
  }
}

/** Yields events whose content does not match its commitment, and envelopes with another text than Waymark writes, which SQLite may read in
 * another way than JavaScript: one with a repeated name. Erased content is not compared. */
function* findAlteredContent(db: Database.Database): Generator<string> {
  const next = db.prepare<[number], Kept>(
    `select position, envelope, salt, content from event where position > ? order by position limit ${contentsMax}`,
  );
  for (const [position, envelope, salt, content] of paged((last: Kept | undefined) => next.raw().all(last?.[0] ?? 0))) {
    const read = envelopeIn(envelope);
    if (read === undefined) {
      yield `position ${position}: its envelope cannot be read`;
      continue;
    }
    if (JSON.stringify(read) !== envelope) yield `position ${position}: Waymark does not write its envelope in this way`;
    if (isAltered({ salt, content }, read.commitment)) yield `position ${position}: the content does not match its commitment`;
  }
}

/** Notes where a clock was set back. Envelopes that cannot be read are faults already. */
const clockJumpsIn = (db: Database.Database): readonly string[] => {
  const next = db.prepare<[number], [position: number, stream: string, revision: number, envelope: string]>(
    `select position, stream, revision, envelope from event where position > ? order by position limit ${placesMax}`,
  );
  const jumps = createClockJumps(clockJumpMs.standalone, findingsMax);
  for (const [, stream, revision, envelope] of paged((last: readonly [number, ...unknown[]] | undefined) =>
    next.raw().all(last?.[0] ?? 0),
  )) {
    const read = envelopeIn(envelope);
    if (read !== undefined) jumps.add({ stream, revision, envelope: read });
  }
  return jumps.found();
};

/** Yields events whose content contradicts their type, their stream or their account. */
function* findContradictions(db: Database.Database): Generator<string> {
  const { after } = createLogReader(db);
  for (const event of paged((last: RecordedEvent | undefined) => [...after(last?.position ?? 0, contentsMax)])) {
    if (isContradictory(event)) yield contradictionAt(event);
  }
}

const envelopeIn = (text: string): Envelope | undefined => {
  try {
    const read: unknown = JSON.parse(text);
    return read instanceof Object ? (read as Envelope) : undefined;
  } catch {
    return undefined;
  }
};

function* paged<Row>(page: (last: Row | undefined) => Row[]): Generator<Row> {
  for (let rows = page(undefined); rows.length > 0; rows = page(rows.at(-1))) yield* rows;
}

const findings: string[] = [];

/** Adds findings, up to the limit. A file that cannot be read further is a finding, too. */
const collect = (found: Generator<string>): void => {
  try {
    for (const finding of found) {
      if (findings.length >= findingsMax) return;
      findings.push(finding);
    }
  } catch (error) {
    findings.push(`file: ${(error as Error).message}`);
  }
};

/** Compares the recorded erasures with what remains of the events. */
const checkForgotten = async (db: Database.Database): Promise<void> => {
  const reader = createLogReader(db);
  const read: EventLog['read'] = async (stream, from) => reader.read(stream, from, readEventsMax);
  for await (const event of readEvents(read, erasuresStream)) {
    if (findings.length >= findingsMax) return;
    findings.push(...(await checkErasedStreams(read, event)));
  }
};

const { file, findingsMax } = workerData as { file: string; findingsMax: number };
const db = openReader(file);
collect(findDamage(db, findingsMax));
collect(findDisorder(db));
collect(findAlteredContent(db));
collect(findContradictions(db));
await checkForgotten(db).catch((error: Error) => void findings.push(`forgotten: ${error.message}`));
const clocks: string[] = [];
try {
  clocks.push(...clockJumpsIn(db));
} catch (error) {
  findings.push(`file: ${(error as Error).message}`);
}
db.close();
parentPort?.postMessage({ faults: findings.slice(0, findingsMax), clocks } satisfies CheckedLog);
