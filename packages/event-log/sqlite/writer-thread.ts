// The thread that writes the log. `writer-client.ts` starts it.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { isNoRoom } from '@waymark/files/no-room.ts';
import type { LogFacts } from '../facts/facts.ts';
import type { FollowedLog, OpenFollower } from '../follower.ts';
import { type Batch, createAppender } from './appender.ts';
import { openLog, recordedBy } from './appends.ts';
import { dropStep, emptyWal } from './drop.ts';
import { createFactsFile, type FactsFile, reservesIds } from './facts.ts';
import { createFollowerFeed, type FollowerFeed, noFollowerFeed } from './follower-feed.ts';
import type { FailedPart, FromWriter, Outcome, PackedAppend, ToWriter, WriterData } from './messages.ts';
import { pruneStep } from './prune.ts';
import type { LogReader } from './reader.ts';
import { openLogReader } from './reader.ts';
import { readReservedIds } from './reserved-ids.ts';
import { renewIncarnation } from './schema.ts';

/** How often the known facts of the log are written, in milliseconds. */
const noteEveryMs = 1_000;

if (parentPort === null) throw new Error('This file must be started as a worker thread.');
const port = parentPort;
const { file, facts: factsFile, follower } = workerData as WriterData;
const post = (message: FromWriter): void => port.postMessage(message);
/** Reports an error. `noRoom` is determined here, because an error loses its code on its way to the other thread. */
const report = (of: FailedPart, error: Error): void => post({ kind: 'trouble', of, error, noRoom: isNoRoom(error) });

const openFollowing = async (module: string, options: Record<string, unknown>): Promise<FollowerFeed> => {
  const { openFollower } = (await import(module)) as { openFollower: OpenFollower };
  const followed: FollowedLog = {
    state: () => log.read((reader) => reader.state()),
    readAfter: (position, limit) => log.read((reader) => reader.after(position, limit)),
  };
  return createFollowerFeed({
    open: () => openFollower(options, followed),
    log: followed,
    head: log.head,
    report: (error) => report('follower', error),
    resume: () => void work(),
  });
};

/** Appends, except reservations of ids that the facts file could not cover before. */
const appendCovered = (appends: readonly PackedAppend[]): Batch => {
  if (facts === undefined || !appends.some(reservesIds) || facts.cover(appends)) return log.append(appends);
  const { outcomes, before } = log.append(appends.filter((one) => !reservesIds(one)));
  const others = outcomes.values();
  return { outcomes: appends.map((one): Outcome => (reservesIds(one) ? 'unavailable' : (others.next().value ?? 'undecided'))), before };
};

const append = async (appends: readonly PackedAppend[]): Promise<void> => {
  const { outcomes, before } = appendCovered(appends);
  await followerFeed.committed(before, () => recordedBy(appends, outcomes));
  post({ kind: 'appended', outcomes, head: log.head(), followed: followerFeed.followed() });
};

/** Runs work with the follower, and reports its position if the work has changed it. */
const reportMoves = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const before = followerFeed.followed();
  try {
    return await work();
  } finally {
    if (followerFeed.followed() !== before) post({ kind: 'followed', followed: followerFeed.followed() });
  }
};

/** Gives the log another incarnation where it has the expected one, and writes the facts file at once. */
const renew = (expected: string): string | undefined => {
  const incarnation = log.use(({ db }) => renewIncarnation(db, expected));
  if (incarnation !== undefined) facts?.noteRenewal();
  return incarnation;
};

const answer = async (call: number, work: () => Promise<unknown>): Promise<void> => {
  try {
    post({ kind: 'answer', call, value: await work() });
  } catch (error) {
    post({ kind: 'refusal', call, error: error as Error });
  }
};

const close = async (): Promise<void> => {
  await followerFeed.close();
  clearInterval(noting);
  note();
  log.close();
  post({ kind: 'closed' });
  port.close();
};

const process = async (message: Exclude<ToWriter, { kind: 'close' }>): Promise<void> => {
  switch (message.kind) {
    case 'append':
      return append(message.appends);
    case 'tell':
      return answer(message.call, () => reportMoves(() => followerFeed.tell(message.message)));
    case 'prune':
      return answer(message.call, async () => log.use((log) => pruneStep(log, message.before, message.from)));
    case 'drop':
      return answer(message.call, async () => log.use((log) => dropStep(log, message.stream, message.before)));
    case 'empty-wal':
      return answer(message.call, async () => log.use(emptyWal));
    case 'renew':
      return answer(message.call, async () => renew(message.expected));
  }
};

const queue: ToWriter[] = [];
let working = false;

/** Processes one message after the other. With a follower that is behind, it alternates between the two. */
const work = async (): Promise<void> => {
  if (working) return;
  working = true;
  while (queue.length > 0 || followerFeed.behind()) {
    const message = queue.shift();
    if (message?.kind === 'close') return close(); // `working` stays true, so no further message is processed
    if (message) await process(message);
    if (!followerFeed.behind()) continue;
    await reportMoves(followerFeed.step);
    await nextTurn(); // messages that have arrived meanwhile come first
  }
  working = false;
};

const log = createAppender(
  (given) => openLog(file, given),
  () => openLogReader(file),
  (error) => report('log', error),
);
const factsOf = (reader: LogReader): Omit<LogFacts, 'ids'> => {
  const { incarnation, head } = reader.state();
  return { incarnation, head, event: reader.after(head - 1, 1)[0]?.envelope.id ?? '' };
};

const openFacts = (path: string): FactsFile =>
  createFactsFile({
    file: path,
    present: () => log.read(factsOf),
    head: log.head,
    reserved: log.read(readReservedIds),
    report: (error) => report('facts', error),
  });

/** Writes the facts file. Skipped where the log would have to be reopened for it: appends reopen it. */
const note = (): void => {
  if (log.isOpen()) facts?.note();
};

const facts = factsFile === null ? undefined : openFacts(factsFile);
note();
const noting = setInterval(note, noteEveryMs);
const followerFeed = follower === null ? noFollowerFeed : await openFollowing(follower.module, follower.options);
port.on('message', (message: ToWriter) => {
  queue.push(message);
  void work();
});
post({ kind: 'opened', state: log.read((reader) => reader.state()) });
void work();
