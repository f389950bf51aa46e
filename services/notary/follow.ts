import { setTimeout as pause } from 'node:timers/promises';
import type { CheckpointPlace } from '@waymark/checkpoints/place.ts';
import type { NotaryRecord } from '@waymark/checkpoints/record.ts';
import { LogUnavailable } from '@waymark/event-log/event-log.ts';
import { createProgress } from '@waymark/timing/progress.ts';
import type { Alarm } from './alarm.ts';
import type { EarlierNotary } from './earlier.ts';
import { lastReadMs, storeEveryMs, watchMs } from './limits.ts';
import { reachable } from './places.ts';
import type { NotaryPorts } from './ports.ts';
import { publishMissing } from './publish.ts';
import { ReadAgain, SigningRefused } from './refused.ts';
import { beginSession, type Session, type SessionPorts } from './session.ts';
import { signNext } from './sign.ts';
import type { StatusKeeper } from './status.ts';
import { createTurns } from './turns.ts';

export type FollowPorts = Pick<NotaryPorts, 'log' | 'seeds' | 'beginning' | 'keepVerifierKeys' | 'intervalMs' | 'unfinishedImports'> &
  SessionPorts & { readonly status: StatusKeeper; readonly alarm: Alarm };

/** Reads the log from its start, or from where an earlier notary ended, and signs at intervals once it has read and compared it. When the signal
 * aborts, it reads what the log has by now, signs a last time, and ends.
 * @returns what a later notary needs to continue
 * @throws SigningRefused, ReadAgain, the errors of the ports */
export const followLog = async (
  ports: FollowPorts,
  closing: AbortSignal,
  earlier: EarlierNotary | undefined,
): Promise<EarlierNotary | undefined> => {
  const { log, status } = ports;
  const session = await beginSession(ports, earlier);
  const state = session.isContinued ? 'signing' : 'reading';
  status.change({ state, reason: undefined, origin: session.origin, position: session.position() });
  const inTurn = createTurns();
  const taken = createProgress();
  taken.move(session.position());
  const over = new AbortController();
  const reading = log.subscribe(
    session.position(),
    (events) =>
      inTurn(async () => {
        await session.take(events);
        taken.move(session.position());
        status.change({ position: session.position(), isGrown: session.trees.hasGrown() });
      }),
    over.signal,
  );
  const reached = async (position: number, untilMs: number, signals: readonly AbortSignal[]): Promise<boolean> => {
    while (!(await taken.reached(position, watchMs))) {
      if (performance.now() > untilMs || signals.some(({ aborted }) => aborted)) return false;
    }
    return true;
  };

  const signAtIntervals = async (): Promise<void> => {
    const signals = [closing, over.signal];
    const wait = (ms: number): Promise<void> => pause(ms, undefined, { signal: AbortSignal.any(signals) }).catch(() => undefined);
    if (!(await reached(session.state.head, Number.POSITIVE_INFINITY, signals))) return;
    if (session.isContinued) await wait(msToNext(session, ports.intervalMs));
    while (!over.signal.aborted) {
      const isLast = closing.aborted;
      if (isLast) await reached((await log.state()).head, performance.now() + lastReadMs, [over.signal]);
      await inTurn(() => signOrRefuse(session, ports));
      if (isLast) return;
      await wait(ports.intervalMs);
    }
  };
  const signing = signAtIntervals();
  const filling = addAtIntervals(() => inTurn(session.feed.addRest), over.signal);
  try {
    await Promise.race([reading.then(() => signing), signing, filling]);
  } finally {
    over.abort();
    await Promise.allSettled([reading, signing, filling]);
  }
  const handover = session.handover();
  return handover && { ...handover, status: status.now() };
};

/** Adds what was taken to the proof store at intervals, and the rest once the signal aborts. */
const addAtIntervals = async (addRest: () => Promise<void>, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    await pause(storeEveryMs, undefined, { signal }).catch(() => undefined);
    await addRest();
  }
};

/** Returns how long the last checkpoint is the only one of its interval, at most an interval: the clock may have been set back. */
const msToNext = (session: Session, intervalMs: number): number => {
  const last = Date.parse(session.last()?.checkpoint.time ?? '') || 0;
  return Math.min(intervalMs, Math.max(0, last + intervalMs - Date.now()));
};

/** Signs if there is something to sign. Where it must not sign, or cannot, it raises the alarm, and the next interval tries again. */
const signOrRefuse = async (session: Session, ports: FollowPorts): Promise<void> => {
  const { log, status, alarm } = ports;
  const { incarnation } = await log.state();
  if (incarnation !== session.state.incarnation) throw new ReadAgain('The log has another incarnation.');
  try {
    const signed = await signAndPublish(session, ports);
    alarm.clear();
    if (signed) status.change({ signed: status.now().signed + 1 });
  } catch (error) {
    if (!(error instanceof SigningRefused || error instanceof LogUnavailable)) throw error;
    alarm.raise(error);
  }
  const last = session.last();
  if (last?.checkpoint.origin === session.origin) {
    const { through, events, accounts, checkpoint } = last;
    const isGrown = session.trees.hasGrown();
    status.change({ number: checkpoint.number, time: checkpoint.time, through, events, accounts, isGrown });
  }
  await session.feed.check();
};

/** Publishes what the place lacks before it signs: while the place cannot be used, nothing is signed. Returns whether it signed. */
const signAndPublish = async (session: Session, ports: FollowPorts): Promise<boolean> => {
  const { log, record, place, beginning } = ports;
  await refuseWithinImport(session, ports);
  await session.complete();
  await publishLast(place, session, { log, record });
  const isSigned = await signNext(session, { log, record, beginning });
  if (isSigned) await publishLast(place, session, { log, record });
  return isSigned;
};

/** The first checkpoint of an origin names the final one of the installation that moves here. That one may still sign until its last events are
 * imported. */
const refuseWithinImport = async (session: Session, { beginning, unfinishedImports }: FollowPorts): Promise<void> => {
  if (session.last()?.checkpoint.origin === session.origin || beginning.isOrdered() || unfinishedImports === undefined) return;
  if ((await unfinishedImports()).length > 0)
    throw new SigningRefused('An import has not ended. Import the final export. If there is none: waymark notary begin.');
};

type Publishing = { readonly log: NotaryPorts['log']; readonly record: NotaryRecord };

const publishLast = async (place: CheckpointPlace | undefined, session: Session, publishing: Publishing): Promise<void> => {
  if (place === undefined) return;
  const last = session.published();
  if (last !== undefined) await publishMissing(place, last, publishing);
  else await reachable(() => place.latest(session.origin));
};
