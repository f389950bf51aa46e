// The thread that writes the log. `writer-client.ts` starts it.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { isNoRoom } from '@waymark/files/no-room.ts';
import { answerCall } from '@waymark/threads/calls.ts';
import type { LogFacts } from '../facts/facts.ts';
import type { FollowedLog, OpenFollower } from '../follower.ts';
import { type Batch, createAppender } from './appender.ts';
import { openLog, recordedBy } from './appends.ts';
import { dropStep, emptyWal } from './drop.ts';
import { createEventTimes } from './event-times.ts';
import { createFactsFile, type FactsFile, reservesIds } from './facts.ts';
import { createFollowerFeed, type FollowerFeed, noFollowerFeed } from './follower-feed.ts';
import { createInbox, type OtherMessage } from './inbox.ts';
import type { FailedPart, FromWriter, Outcome, PackedAppend, ToWriter, WriterData } from './messages.ts';
import { pruneStep } from './prune.ts';
import type { LogReader } from './reader.ts';
import { openLogReader } from './reader.ts';
import { readReservedIds } from './reserved-ids.ts';
import { renewIncarnation } from './schema.ts';
import { sharedState } from './shared-state.ts';

/** How often the known facts of the log are written, in milliseconds. */
const noteEveryMs = 1_000;

if (parentPort === null) throw new Error('This file must be started as a worker thread.');
/** The port of the main thread, and those of the connected threads. */
const main = parentPort;
const ports = new Set<MessagePort>([main]);
const { file, facts: factsFile, follower, memory } = workerData as WriterData;
const state = sharedState(memory);
const inbox = createInbox<MessagePort>();
const send = (port: MessagePort, message: FromWriter): void => port.postMessage(message);
/** Reports an error. `noRoom` is determined here, because an error loses its code on its way to the other thread. */
const report = (of: FailedPart, error: Error): void => send(main, { kind: 'trouble', of, error, noRoom: isNoRoom(error) });

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

/** Commits all appends that wait, of all ports, together. While writes are closed, only those of the main thread, which checks that itself. */
const commitWaiting = async (): Promise<void> => {
  const { accepted, refused } = inbox.takeAppends((port) => port === main || !state.isClosed());
  for (const { port, message } of refused) send(port, { kind: 'appended', outcomes: message.appends.map(() => 'unavailable') });
  const waiting = accepted.flatMap(({ message }) => message.appends);
  if (waiting.length === 0) return;
  const appends = times.refresh(waiting, Date.now());

  const { outcomes, before } = appendCovered(appends);
  await followerFeed.committed(before, () => recordedBy(appends, outcomes));
  state.move(log.head(), followerFeed.followed());
  let from = 0;
  for (const { port, message } of accepted) {
    send(port, { kind: 'appended', outcomes: outcomes.slice(from, from + message.appends.length) });
    from += message.appends.length;
  }
  reportMove(accepted.map(({ port }) => port));
};

/** Notifies threads that the log or its follower has moved, if any thread waits for that. `answered` have just got another message. */
const reportMove = (answered: readonly MessagePort[]): void => {
  if (!state.isListening()) return;
  for (const port of ports) if (!answered.includes(port)) send(port, { kind: 'moved' });
};

/** Runs work with the follower, and reports its position if the work has changed it. */
const reportMoves = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const before = followerFeed.followed();
  try {
    return await work();
  } finally {
    state.move(log.head(), followerFeed.followed());
    if (followerFeed.followed() !== before) reportMove([]);
  }
};

/** Gives the log another incarnation where it has the expected one, and writes the facts file at once. */
const renew = (expected: string): string | undefined => {
  const incarnation = log.use(({ db }) => renewIncarnation(db, expected));
  if (incarnation !== undefined) facts?.noteRenewal();
  return incarnation;
};

const close = async (): Promise<void> => {
  await followerFeed.close();
  clearInterval(noting);
  note();
  log.close();
  send(main, { kind: 'closed' });
  for (const port of ports) port.close();
};

const connect = (port: MessagePort): void => {
  ports.add(port);
  port.on('message', (message: ToWriter) => receive(port, message));
  port.on('close', () => ports.delete(port));
};

const process = async (port: MessagePort, message: Exclude<OtherMessage, { kind: 'close' }>): Promise<void> => {
  const answer = (run: () => unknown) =>
    'call' in message ? answerCall(message.call, run, (answered) => send(port, answered)) : undefined;
  switch (message.kind) {
    case 'connect':
      return connect(message.port);
    case 'tell':
      return answer(() => reportMoves(() => followerFeed.tell(message.message)));
    case 'prune':
      return answer(() => log.use((log) => pruneStep(log, message.of, message.before, message.from)));
    case 'drop':
      return answer(() => log.use((log) => dropStep(log, message.stream, message.before)));
    case 'empty-wal':
      return answer(() => log.use(emptyWal));
    case 'renew':
      return answer(() => renew(message.expected));
    case 'settle':
      return answer(() => undefined);
  }
};

let working = false;

/** Commits what waits, then processes one other message. With a follower that is behind, it alternates between these and the follower. */
const work = async (): Promise<void> => {
  if (working) return;
  working = true;
  while (!inbox.isEmpty() || followerFeed.behind()) {
    await commitWaiting();
    const other = inbox.takeOther();
    if (other?.message.kind === 'close') return close(); // `working` stays true, so no further message is processed
    if (other) await process(other.port, other.message);
    if (!followerFeed.behind()) continue;
    await reportMoves(followerFeed.step);
    await nextTurn(); // messages that have arrived meanwhile come first
  }
  working = false;
};

const receive = (port: MessagePort, message: ToWriter): void => {
  inbox.put(port, message);
  void work();
};

const log = createAppender(
  (given) => openLog(file, given),
  () => openLogReader(file),
  (error) => report('log', error),
);
const times = createEventTimes(
  log.read((reader) => Date.parse(reader.after(log.head() - 1, 1)[0]?.envelope.time ?? '') || 0),
  (behindMs) => report('clock', new Error(`The clock is ${behindMs} ms behind the latest time in the log.`)),
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
main.on('message', (message: ToWriter) => receive(main, message));
state.move(log.head(), followerFeed.followed());
send(main, { kind: 'opened' });
void work();
