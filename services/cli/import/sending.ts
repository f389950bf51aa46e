import { hash, randomUUID } from 'node:crypto';
import { type StoredEvent, toStoredEvent } from '@waymark/domain/stored-event.ts';
import type { Reached } from '@waymark/operations/api/answers.ts';
import type { BodyOf } from '@waymark/operations/api/calls.ts';
import { batchEventsMax, filesAskedMax } from '@waymark/operations/import/limits.ts';
import { createAccountsDigest, createEventDigest } from '@waymark/transfer/digest.ts';
import { type ExportedFile, type ExportSummary, summaryOf } from '@waymark/transfer/format.ts';
import type { Exported } from '@waymark/transfer/reader.ts';
import { toSummaryMessage } from '@waymark/transfer/stored-manifest.ts';
import type { Operator } from '../client/operator.ts';
import { filesInFlight, filesNotedEvery, importCharactersMax } from '../limits.ts';
import { CommandFailed } from '../terminal/exit-codes.ts';
import { grouped, plain } from '../terminal/output.ts';
import type { Progress } from '../terminal/progress.ts';

/** A started import. */
export type Sending = {
  /** The id of this run of the import. */
  readonly run: string;
  readonly manifest: ExportSummary;
  /** What the cluster had when this run began. */
  readonly before: Reached;
};

/** An import whose events have all arrived. `accounts`: their digest; see `createAccountsDigest`. */
type Sent = Sending & { readonly accounts: string };

type SendingContext = {
  readonly operator: Operator;
  /** The person who orders the import. The calls that begin and end it name the person; the other calls are too many for the log. */
  readonly by: string | undefined;
  readonly exported: Exported;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

type EventsMessage = BodyOf<'POST /operator/import/events'>;

/** Sends what the cluster does not have yet of an export. Files come first, because events name them; then come the events in the order of
 * the log.
 * @throws CommandFailed, ExportRefused */
export const sendExport = async (work: SendingContext): Promise<Sent> => {
  const run = randomUUID();
  const manifest = summaryOf(work.exported.manifest);
  const before = await work.operator.as(work.by).requestWithRetries('POST /operator/import/begin', {
    body: { run, manifest: toSummaryMessage(manifest) },
  });
  const sending = { run, manifest, before };
  await sendMissing(work, sending);
  await sendFiles(work, sending);
  await sendMarks(work);
  return { ...sending, accounts: await sendEvents(work, sending) };
};

/** Sends the files of earlier runs again that the store no longer has. */
const sendMissing = async (work: SendingContext, { before }: Sending): Promise<void> => {
  let some: ExportedFile[] = [];
  const flush = async (): Promise<void> => {
    const names = some.map(({ name }) => name);
    const { missing } = await work.operator.requestWithRetries('POST /operator/import/missing', { body: { names } });
    for (const file of some) {
      interruptible(work.signal);
      if (missing.includes(file.name)) await sendFile(work, file);
    }
    some = [];
  };
  let count = 0;
  for await (const file of work.exported.files()) {
    if (count === before.files) break;
    count += 1;
    some.push(file);
    if (some.length === filesAskedMax) await flush();
  }
  if (some.length > 0) await flush();
};

const sendFiles = async (work: SendingContext, { run, manifest, before }: Sending): Promise<void> => {
  let count = before.files;
  let some: ExportedFile[] = [];
  const flush = async (): Promise<void> => {
    interruptible(work.signal);
    await Promise.all(some.map((file) => sendFile(work, file)));
    const noted = Math.floor(count / filesNotedEvery);
    count += some.length;
    some = [];
    work.progress.update(before.events, `${grouped(count)} files`);
    if (Math.floor(count / filesNotedEvery) === noted && count < manifest.files.count) return;
    const message: EventsMessage = {
      run,
      incarnation: manifest.incarnation,
      first: before.events,
      digest: before.digest,
      files: count,
      events: [],
    };
    await work.operator.requestWithRetries('POST /operator/import/events', { body: message });
  };
  for await (const file of work.exported.files(before.files)) {
    some.push(file);
    if (some.length === filesInFlight) await flush();
  }
  if (some.length > 0) await flush();
};

/** Sends the names of erased files. Each run sends all of them: a name that is marked already stays so. */
const sendMarks = async ({ operator, exported, signal }: SendingContext): Promise<void> => {
  let names: string[] = [];
  const flush = async (): Promise<void> => {
    interruptible(signal);
    await operator.requestWithRetries('POST /operator/import/marks', { body: { names } });
    names = [];
  };
  for await (const name of exported.marks()) {
    names.push(name);
    if (names.length === filesAskedMax) await flush();
  }
  if (names.length > 0) await flush();
};

const sendFile = async ({ operator, exported }: SendingContext, file: ExportedFile): Promise<void> => {
  const bytes = await exported.bytesOf(file);
  if (bytes === undefined) return;
  const { sha256 } = await operator.requestWithRetries('POST /operator/import/media/:name', {
    parameters: { name: file.name },
    body: bytes,
  });
  if (sha256 !== hash('sha256', bytes, 'hex')) throw new CommandFailed('failed', `${file.name} did not arrive as it was sent.`);
};

/** @returns the digest of the accounts' events */
const sendEvents = async (work: SendingContext, { run, manifest, before }: Sending): Promise<string> => {
  const { operator, exported, progress, signal } = work;
  const digest = createEventDigest();
  const accounts = createAccountsDigest();
  let batch = nothingYet(digest);
  let sent: Promise<unknown> = Promise.resolve();

  /** Sends the batch. While one request is in flight, the next one is built. */
  const flush = async (): Promise<void> => {
    await sent;
    interruptible(signal);
    progress.update(batch.first, `${grouped(batch.first)} events`);
    const message: EventsMessage = {
      run,
      incarnation: manifest.incarnation,
      first: batch.first,
      digest: batch.digest,
      files: manifest.files.count,
      events: batch.events,
    };
    sent = operator.requestWithRetries('POST /operator/import/events', { body: message });
    sent.catch(() => undefined);
  };
  for await (const event of exported.events()) {
    if (digest.count() === before.events) checkSame(before, digest.value());
    if (digest.count() >= before.events) {
      if (isFull(batch)) await flush();
      if (isFull(batch) || batch.first < before.events) batch = nothingYet(digest);
      batch.events.push(toStoredEvent(event));
      batch.characters += event.content?.length ?? 0;
    }
    digest.add(event);
    accounts.add(event);
  }
  if (digest.count() === before.events) checkSame(before, digest.value());
  if (batch.events.length > 0) await flush();
  await sent;
  progress.update(digest.count(), `${grouped(digest.count())} events`);
  return accounts.value();
};

type Gathered = { readonly first: number; readonly digest: string; readonly events: StoredEvent[]; characters: number };

const nothingYet = (digest: ReturnType<typeof createEventDigest>): Gathered => ({
  first: digest.count(),
  digest: digest.value(),
  events: [],
  characters: 0,
});

const isFull = ({ events, characters }: Gathered): boolean => events.length >= batchEventsMax || characters >= importCharactersMax;

const checkSame = ({ events, digest }: Reached, present: string): void => {
  if (present === digest) return;
  throw new CommandFailed(
    'refused',
    plain(`The ${grouped(events)} events that the cluster has from this installation differ from those of this export.`),
  );
};

const interruptible = (signal: AbortSignal): void => {
  if (signal.aborted) throw new CommandFailed('interrupted', 'Interrupted. Run the same command again to continue.');
};
