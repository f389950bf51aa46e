import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { type Filter, streamNameFilter } from '@eventstore/db-client';
import type { RecordedEvent } from '@waymark/domain/event.ts';
import { historyPrefixes, isHistory, refusalsPrefix } from '@waymark/domain/streams.ts';
import { pauseMs } from '@waymark/timing/back-off.ts';
import { unlessAborted } from '@waymark/timing/deadline.ts';
import { type Position, subscriptionEventsMax } from '../event-log.ts';
import type { LogReads } from './calls.ts';
import type { Connection, LogLogger } from './connection.ts';
import { fromStoredEvent } from './events.ts';
import { checkpointInterval, comparedMax, errorPauses, logErrorEveryMs, quietMs, routinePauses, searchWindow } from './limits.ts';
import { type End, openSubscription, placeOf, type Subscription } from './subscription.ts';

/** A delivery to a subscriber: these events, and no others of its scope up to the position `through`. */
export type Delivered = { readonly events: readonly RecordedEvent[]; readonly through: Position };

/** The part of the log that a subscription covers: a filter for the server, and a predicate that selects the same events. */
export type Scope = { readonly filter: Filter; readonly has: (event: RecordedEvent) => boolean };

const pages = { maxSearchWindow: searchWindow, checkpointInterval };
/** All events except the server's own. */
export const wholeLog: Scope = { filter: streamNameFilter({ regex: '^[^$]', ...pages }), has: () => true };
export const history: Scope = {
  filter: streamNameFilter({ prefixes: [...historyPrefixes], ...pages }),
  has: ({ stream }) => isHistory(stream),
};
export const refusals: Scope = {
  filter: streamNameFilter({ prefixes: [refusalsPrefix], ...pages }),
  has: ({ stream }) => stream.startsWith(refusalsPrefix),
};

type Handle = (passed: Delivered) => Promise<void>;
export type SubscribeTo = (after: Position, handle: Handle, signal: AbortSignal) => Promise<void>;
type Stop = { readonly at: Position; readonly end: End };

/** The log has another incarnation than when the subscription began: earlier positions mean nothing in it. */
export class LogReplaced extends Error {}

/** What subscriptions need of the log: how to read it, and its incarnation. */
export type LogSubscriptions = {
  readonly connection: Connection;
  readonly read: LogReads;
  readonly callMs: number;
  readonly incarnation: () => Promise<string | undefined>;
  readonly logger?: LogLogger | undefined;
};

/** Returns a function that subscribes again and again, each time after the last processed event. Therefore nothing is lost or repeated,
 * however often and however a subscription ends. The server's checkpoints are ignored: they are ahead of what the library has delivered,
 * and of what some releases have yet to send. While no events arrive, the position that was passed is read from the log itself. That read
 * also detects a subscription that has fallen silent. */
export const createSubscribe = (log: LogSubscriptions, scope: Scope): SubscribeTo => {
  const { connection, callMs, read, logger } = log;
  return async (after, handle, signal) => {
    const stop = AbortSignal.any([signal, connection.closing]);
    const pace = createBackOff(logger);
    const isSame = createIdentityCheck(log);
    for (let at = after; !signal.aborted; ) {
      const subscription = openSubscription(connection, callMs, at, scope.filter);
      const compare = createComparison(read, scope);
      try {
        const stopped =
          (await unlessAborted(stop, isSame(), nothing)) ?? (await deliverEvents(subscription, at, pace.seen(handle), compare, stop));
        if (stopped === undefined) continue;
        at = stopped.at ?? at;
        if (stopped.end.kind === 'too slow')
          logger?.debug({ at }, 'The event log ended a slow subscription, as it does regularly; subscribing again.');
        else isSame.doubt();
        await pace.rest(stopped.end, stop);
      } finally {
        subscription.close();
      }
    }
  };
};

const nothing = (): undefined => undefined;

/** Returns a check that the log is still the same. When a connection has ended, the next one may lead to another log, for example one
 * restored from a backup. */
const createIdentityCheck = ({ incarnation }: LogSubscriptions) => {
  let known: string | undefined;
  let isSure = false;
  const check = async () => {
    if (isSure) return undefined;
    const name = await incarnation().catch((error: unknown) => ({ error }));
    if (name instanceof Object) return { at: undefined, end: { kind: 'trouble', error: name.error } } as const;
    if (known !== undefined && name !== known) throw new LogReplaced('The event log has another incarnation than before.');
    [known, isSure] = [name, true];
    return undefined;
  };
  const doubt = (): void => {
    isSure = false;
  };
  return Object.assign(check, { doubt });
};

/** Delivers events until the subscription is over. Returns undefined where the signal aborts. */
const deliverEvents = async (subscription: Subscription, after: Position, handle: Handle, compare: Compare, stop: AbortSignal) => {
  let at = after;
  let overdue = false;
  while (!stop.aborted) {
    const events = subscription.take(subscriptionEventsMax);
    const through = events.at(-1)?.position;
    if (through !== undefined) {
      await handle({ events, through });
      [at, overdue] = [through, false];
      await nextTurn(); // a long history must not block other work, and events that arrive in one turn are delivered in one batch
      continue;
    }
    const end = subscription.end();
    if (end) return { at, end } satisfies Stop;
    if (await subscription.changed(quietMs, stop)) continue;

    const comparison = compare(at).catch((error: unknown) => ({ error }));
    const compared = await unlessAborted(stop, comparison, nothing);
    if (compared === undefined) break;
    if ('error' in compared) return { at, end: { kind: 'trouble', error: compared.error } } satisfies Stop;
    if (compared.isOverdue && overdue) return { at, end: { kind: 'ended' } } satisfies Stop;
    overdue = compared.isOverdue;
    if (compared.through > at) await handle({ events: [], through: compared.through });
    at = compared.through;
  }
  return undefined;
};

/** Returns the position after `at` up to which the log has no event of the scope. `isOverdue`: an event of the scope follows it. */
type Compare = (at: Position) => Promise<{ readonly through: Position; readonly isOverdue: boolean }>;

const createComparison = (read: LogReads, scope: Scope): Compare => {
  // May be beyond the reported position: the server's own events are read only once.
  let looked: Position = 0;
  return async (at) => {
    // Only events that Waymark wrote count, as they do for the log's head. Otherwise the log would seem to end before the position that was
    // read.
    let through = at;
    looked = Math.max(looked, at);
    for (;;) {
      const page = await read((client) => client.readAll({ fromPosition: placeOf(looked), maxCount: comparedMax }));
      for (const { event } of page) {
        const ours = event && fromStoredEvent(event);
        if (ours && ours.position > at && scope.has(ours)) return { through, isOverdue: true };
        if (ours) through = Math.max(through, ours.position);
        looked = Math.max(looked, Number(event?.position.commit ?? 0));
      }
      if (page.length < comparedMax) return { through, isOverdue: false };
    }
  };
};

/** Pauses before the next try, and logs errors: at once, then from time to time, and when they are over. */
const createBackOff = (logger: LogLogger | undefined) => {
  let [fruitless, loggedAtMs, isUnavailable] = [0, Number.NEGATIVE_INFINITY, false];
  return {
    seen:
      (handle: Handle): Handle =>
      (passed) => {
        if (isUnavailable) logger?.info({}, 'The event log is subscribed to again.');
        [fruitless, isUnavailable] = [0, false];
        return handle(passed);
      },
    rest: async (end: End, signal: AbortSignal): Promise<void> => {
      const isError = end.kind === 'trouble';
      const ms = isError || fruitless > 0 ? pauseMs(isError ? errorPauses : routinePauses, fruitless) : 0;
      fruitless += 1;
      if (end.kind === 'trouble' && performance.now() - loggedAtMs > logErrorEveryMs) {
        logger?.warn({ err: end.error }, 'The event log cannot be subscribed to; retrying.');
        [loggedAtMs, isUnavailable] = [performance.now(), true];
      }
      if (ms > 0) await pause(ms, undefined, { signal }).catch(() => undefined);
    },
  };
};
