import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toStoredEvent } from '@waymark/domain/stored-event.ts';
import { allocatorStream, resourceKinds } from '@waymark/domain/streams.ts';
import { sampleFile } from '@waymark/domain/testing/samples.ts';
import { readErasedStreams } from '@waymark/event-log/erasure/erased-streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { reservedThrough } from '@waymark/event-log/id-allocator.ts';
import { readEnd } from '@waymark/event-log/read-stream.ts';
import { openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { HttpError } from '@waymark/http/errors.ts';
import { openDiskMedia } from '@waymark/media/disk/media.ts';
import { createAccountsDigest, createEventDigest } from '@waymark/transfer/digest.ts';
import type { Batch, Importing, ImportOptions } from '../import/import.ts';
import type { SomeInstallation } from './some-export.ts';

/** The bytes of `sampleFile`. */
export const someBytes = Buffer.from('picture');

/** Creates a log and a media store to import into, new for each test. */
export const useTarget = () => {
  let directory: string;
  let log: Awaited<ReturnType<typeof openSqliteEventLog>>;
  let options: ImportOptions;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'waymark-import-'));
    log = await openSqliteEventLog({ file: join(directory, 'log.db') });
    options = { log, media: openDiskMedia({ directory: join(directory, 'media') }) };
  });
  afterEach(async () => {
    await log.close();
    rmSync(directory, { recursive: true });
  });
  /** Returns the erased streams, each with the first revision that stays. */
  const forgotten = async () => (await readErasedStreams(log.read, 0)).all.map(({ stream, before }) => [stream, before]);
  return { log: () => log, options: () => options, forgotten };
};

export type SendOptions = {
  readonly run?: string /** The number of events in a batch. */;
  readonly size?: number;
  readonly final?: boolean;
};

/** Sends all new events of an installation, as the command line does. */
export const send = async (source: SomeInstallation, to: Importing, { run = 'run', size = 3, final = true }: SendOptions = {}) => {
  const { events, files } = await to.begin(run, source.manifest({ final }));
  if (files === 0) await to.addFile(sampleFile.name, someBytes);
  for (const one of batchesOf(source, size, events)) await to.addEvents(batch(one, run));
  return to.end(run, source.manifest({ final }), accountsIn(source));
};

export const accountsIn = ({ events }: SomeInstallation): string => {
  const digest = createAccountsDigest();
  for (const event of events) digest.add(event);
  return digest.value();
};

type Sent = Omit<Batch, 'run'>;

export const batch = (sent: Sent | undefined, run = 'run'): Batch => {
  if (sent === undefined) throw new Error('There is no such batch.');
  return { run, ...sent };
};

export const batchesOf = ({ events, incarnation }: SomeInstallation, size: number, from = 0): readonly Sent[] => {
  const batches: Sent[] = [];
  const digest = createEventDigest();
  for (const [index, event] of events.entries()) {
    if (index >= from && (index - from) % size === 0) {
      batches.push({
        incarnation,
        first: index,
        digest: digest.value(),
        files: 1,
        events: events.slice(index, index + size).map(toStoredEvent),
      });
    }
    digest.add(event);
  }
  return batches;
};

/** Returns a number above which no id was or will be given out in the log, even if other tests use the log at the same time. */
export const freeIds = async (log: EventLog): Promise<number> => {
  const taken: number[] = [];
  for (const resource of resourceKinds) {
    const { event } = await readEnd(log, allocatorStream(resource));
    taken.push(event === undefined ? 0 : reservedThrough(event));
  }
  return Math.max(...taken) + 10_000_000 + Math.floor(Math.random() * 10_000_000);
};

/** Returns the status and message with which a request is refused. */
export const refusalOf = async (work: Promise<unknown>): Promise<readonly [number, string]> => {
  const problem = await work.then(
    () => undefined,
    (error) => error,
  );
  if (!(problem instanceof HttpError)) throw problem ?? new Error('The request was not refused.');
  return [problem.status, (problem.body as { detail: string }).detail];
};
