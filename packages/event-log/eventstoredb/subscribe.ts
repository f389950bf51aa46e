import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { type Filter, streamNameFilter } from '@eventstore/db-client';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { historyPrefixes, isHistory } from '@waymark/domain/streams.ts';
import { type Position, subscriptionEventsMax } from '../event-log.ts';
import type { LogReads } from './calls.ts';
import type { Connection, LogLogger } from './connection.ts';
import { recorded } from './events.ts';
import {
  checkpointInterval,
  comparedMax,
  pauseMsMax,
  quietMs,
  routinePauseMs,
  searchWindow,
  toldEveryMs,
  troublePauseMs,
} from './limits.ts';
import { type End, placeOf, type Subscription, subscribed } from './subscription.ts';

/** What a follower was given of the log: of what it asked for, these events, and no others up to a position. */
export type Delivered = { readonly events: readonly RecordedEvent[]; readonly through: Position };

/** What of the log is followed: chosen by the server, and how to tell it from the rest. */
export type Scope = { readonly filter: Filter; readonly has: (event: RecordedEvent) => boolean };

const pages = { maxSearchWindow: searchWindow, checkpointInterval };
/** All but the server's own. */
export const wholeLog: Scope = { filter: streamNameFilter({ regex: '^[^$]', ...pages }), has: () => true };
export const history: Scope = {
  filter: streamNameFilter({ prefixes: [...historyPrefixes], ...pages }),
  has: ({ stream }) => isHistory(stream),
};

type Handle = (passed: Delivered) => Promise<void>;
export type SubscribeTo = (after: Position, handle: Handle, signal: AbortSignal) => Promise<void>;
type Stop = { readonly at: Position; readonly end: End };

/** The log has another incarnation than when it was first followed: positions of before mean nothing in it. */
export class LogReplaced extends Error {}

/** Where follows read from, and how the log is called. */
export type LogSubscriptions = {
  readonly connection: Connection;
  readonly read: LogReads;
  readonly callMs: number;
  readonly incarnation: () => Promise<string | undefined>;
  readonly logger?: LogLogger | undefined;
};

/** Subscribes again and again, each time after the last event that was dealt with: so nothing is lost or doubled, however often and in
 * whatever way subscriptions end. The checkpoints that the server sends along count for nothing: they run ahead of what the library has
 * given, and of what some releases have yet to send. How far the log was passed where nothing comes is read from the log itself, which
 * shows a subscription that has fallen silent, too. */
export const createSubscribe = (log: LogSubscriptions, scope: Scope): SubscribeTo => {
  const { connection, callMs, read, logger } = log;
  return async (after, handle, signal) => {
    const stop = AbortSignal.any([signal, connection.closing]);
    const pace = pacing(logger);
    const isSame = sameLog(log);
    for (let at = after; !signal.aborted; ) {
      const subscription = subscribed(connection, callMs, at, scope.filter);
      const compare = comparing(read, scope);
      try {
        const stopped = (await unlessStopped(isSame(), stop)) ?? (await handedOver(subscription, at, pace.seen(handle), compare, stop));
        if (stopped === undefined) continue;
        at = stopped.at ?? at;
        if (stopped.end.kind === 'too slow') logger?.debug({ at }, 'The event log cut who was slow, as it does; it is followed on.');
        else isSame.doubt();
        await pace.rest(stopped.end, stop);
      } finally {
        subscription.close();
      }
    }
  };
};

/** Wherever a connection has ended, what is there next may be another log, restored from a backup, say. */
const sameLog = ({ incarnation }: LogSubscriptions) => {
  let known: string | undefined;
  let isSure = false;
  const check = async () => {
    if (isSure) return undefined;
    const name = await incarnation().catch((error: unknown) => ({ error }));
    if (name instanceof Object) return { at: undefined, end: { kind: 'trouble', error: name.error } } as const;
    if (known !== undefined && name !== known) throw new LogReplaced('The event log is another one than before.');
    [known, isSure] = [name, true];
    return undefined;
  };
  const doubt = (): void => {
    isSure = false;
  };
  return Object.assign(check, { doubt });
};

/** What a promise comes to; undefined as soon as the signal aborts. */
const unlessStopped = <Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | undefined> =>
  new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });

/** Hands over until the subscription is over, or (undefined) the signal aborts. */
const handedOver = async (subscription: Subscription, after: Position, handle: Handle, compare: Compare, stop: AbortSignal) => {
  let at = after;
  let overdue = false;
  while (!stop.aborted) {
    const events = subscription.take(subscriptionEventsMax);
    const through = events.at(-1)?.position;
    if (through !== undefined) {
      await handle({ events, through });
      [at, overdue] = [through, false];
      await nextTurn(); // a long history must not keep others from their turn, and what came in one turn goes out in one batch
      continue;
    }
    const end = subscription.end();
    if (end) return { at, end } satisfies Stop;
    if (await subscription.changed(quietMs, stop)) continue;

    const comparison = compare(at).catch((error: unknown) => ({ error }));
    const compared = await unlessStopped(comparison, stop);
    if (compared === undefined) break;
    if ('error' in compared) return { at, end: { kind: 'trouble', error: compared.error } } satisfies Stop;
    if (compared.isOverdue && overdue) return { at, end: { kind: 'ended' } } satisfies Stop;
    overdue = compared.isOverdue;
    if (compared.through > at) await handle({ events: [], through: compared.through });
    at = compared.through;
  }
  return undefined;
};

/** How far nothing of the scope follows after a position; overdue is what then does. */
type Compare = (at: Position) => Promise<{ readonly through: Position; readonly isOverdue: boolean }>;

const comparing = (read: LogReads, scope: Scope): Compare => {
  // Beyond what is told: the server's own events are looked at once.
  let looked: Position = 0;
  return async (at) => {
    // Only events of ours count, as they do for the log's head: else the log would seem to end before what was read of it.
    let through = at;
    looked = Math.max(looked, at);
    for (;;) {
      const page = await read((client) => client.readAll({ fromPosition: placeOf(looked), maxCount: comparedMax }));
      for (const { event } of page) {
        const ours = event && recorded(event);
        if (ours && ours.position > at && scope.has(ours)) return { through, isOverdue: true };
        if (ours) through = Math.max(through, ours.position);
        looked = Math.max(looked, Number(event?.position.commit ?? 0));
      }
      if (page.length < comparedMax) return { through, isOverdue: false };
    }
  };
};

/** Pauses before the next try, and tells of trouble: at once, then from time to time, and when it is over. */
const pacing = (logger: LogLogger | undefined) => {
  let [fruitless, toldAtMs, isAway] = [0, Number.NEGATIVE_INFINITY, false];
  return {
    seen:
      (handle: Handle): Handle =>
      (passed) => {
        if (isAway) logger?.info({}, 'The event log is followed again.');
        [fruitless, isAway] = [0, false];
        return handle(passed);
      },
    rest: async (end: End, signal: AbortSignal): Promise<void> => {
      const isTrouble = end.kind === 'trouble';
      const ms = isTrouble || fruitless > 0 ? (isTrouble ? troublePauseMs : routinePauseMs) * 2 ** fruitless : 0;
      fruitless += 1;
      if (end.kind === 'trouble' && performance.now() - toldAtMs > toldEveryMs) {
        logger?.warn({ err: end.error }, 'The event log cannot be followed; it is tried again and again.');
        [toldAtMs, isAway] = [performance.now(), true];
      }
      if (ms > 0) await pause(Math.min(pauseMsMax, ms), undefined, { signal }).catch(() => undefined);
    },
  };
};
