import { setTimeout as pause } from 'node:timers/promises';
import { factsOf, type LastRecords, type PartitionRecord } from '@waymark/broker/broker.ts';
import type { LogState } from '@waymark/event-log/event-log.ts';
import { type Finding, isRolledBack } from '@waymark/event-log/facts/facts.ts';
import { largeBatchEvents } from './limits.ts';
import { createRelayPartitions, LogCutShort, type RelayPartitions } from './partitions.ts';
import type { Paces, RelayPorts } from './ports.ts';
import type { RelayStats } from './stats.ts';

/** Another relay should be active. */
export class StandDown extends Error {}

/** The topic belongs to another installation. */
export class ForeignTopic extends Error {}

type SessionContext = RelayPorts & { readonly paces: Paces; readonly stats: RelayStats };

/** Relays from the ends of the partitions until the signal aborts. After a failure it is unknown what was written: a new session reads the
 * ends again.
 * @throws the first error; StandDown when the lease is lost */
export const runSession = async (context: SessionContext, signal: AbortSignal): Promise<void> => {
  const { records, log, stats, facts } = context;
  await records.ensure();
  const { installation } = await log.state();
  const last = await records.last(installation);
  if (stats.now().sessions === 0) refuseForeign(last, installation);
  // The order matters: the log must be read last, so that it has everything that was ever relayed or known of it.
  const compare = await facts?.readStore(factsOf(last).map((known) => ({ source: 'Kafka', facts: known })));
  const state = await log.state();
  if (state.installation !== installation) throw new Error('The log now belongs to another installation.');
  assertFits(await compare?.(state));
  const partitions = createRelayPartitions(state, last.ofPartitions);
  const send = createSendQueue(context, installation, partitions);
  await send(partitions.watermarks);
  stats.began(state, partitions);
  await runUntilFirstEnds(
    [
      (stop) => log.subscribeToHistory(partitions.after, sendEvents(context, partitions, send, stop), stop),
      (stop) => sendWatermarks(context, state, partitions, send, stop),
    ],
    signal,
  );
};

/** Refuses to start on another installation's topic. Otherwise the projectors of both installations would leave out the records of the
 * other one.
 * @throws ForeignTopic where newer records name another installation, and none is of this one */
const refuseForeign = ({ ofPartitions, foreign }: LastRecords, installation: string): void => {
  const [other] = foreign;
  if (other === undefined || ofPartitions.some((record) => record !== undefined)) return;
  throw new ForeignTopic(
    `The Kafka topic has records of installation ${foreign.join(', ')} and none of this one, ${installation}: set WAYMARK_KAFKA_TOPIC to another topic, or take it over (waymark adopt --instead-of ${other}).`,
  );
};

type Handle = Parameters<RelayPorts['log']['subscribeToHistory']>[1];

type Send = (make: () => PartitionRecord[]) => Promise<void>;

/** Creates a function that sends one batch after the other. Each batch is made after the previous one was sent. */
const createSendQueue = ({ records, lease, stats, facts }: SessionContext, installation: string, partitions: RelayPartitions): Send => {
  let turn: Promise<unknown> = Promise.resolve();
  const sendNow: Send = async (make) => {
    if (!lease.holds()) throw new StandDown('Another relay should be active.');
    const made = make();
    if (made.length > 0) await records.send(made, installation, facts?.sealed());
    stats.sent(made, partitions);
  };
  return (make) => {
    const sending = turn.then(() => sendNow(make));
    // After a failure nothing more is sent: the next batch would leave out the one that failed.
    turn = sending;
    turn.catch(() => undefined);
    return sending;
  };
};

/** Returns a function that sends events, and then rests, so that the events that arrive meanwhile are sent together. */
const sendEvents =
  ({ paces }: SessionContext, partitions: RelayPartitions, send: Send, stop: AbortSignal): Handle =>
  async ({ events, through }) => {
    await send(() => partitions.next(events, through));
    if (events.length > 0 && events.length < largeBatchEvents)
      await pause(paces.restMs, undefined, { signal: stop }).catch(() => undefined);
  };

/** @throws LogCutShort where known facts exceed the log */
const assertFits = (finding: Finding = 'fits'): void => {
  if (isRolledBack(finding)) throw new LogCutShort(`The log was rolled back: it does not match its known facts (${finding}).`);
};

/** Sends watermarks to idle partitions, and checks that the log is still the same: its subscription may have been cut off and have
 * continued with another log. */
const sendWatermarks = async (
  { paces, log, stats, facts }: SessionContext,
  began: LogState,
  partitions: RelayPartitions,
  send: Send,
  stop: AbortSignal,
): Promise<void> => {
  for (;;) {
    await pause(paces.watermarkMs, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return;
    const reached = partitions.reached();
    const compare = await facts?.readStore();
    const state = await log.state();
    if (state.incarnation !== began.incarnation)
      throw new Error('The log has another incarnation: the relayed events are of an older one.');
    if (state.head < reached) throw new LogCutShort(`The log was read up to ${reached}, but now ends at ${state.head}.`);
    assertFits(await compare?.(state));
    stats.setHead(state);
    await send(partitions.watermarks);
  }
};

/** Runs several functions until one of them ends, and then stops all of them.
 * @throws the error of the first one that failed */
const runUntilFirstEnds = async (works: readonly ((stop: AbortSignal) => Promise<void>)[], signal: AbortSignal): Promise<void> => {
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  const failures: unknown[] = [];
  const done = works.map(async (context) => {
    try {
      await context(stop);
    } catch (error) {
      failures.push(error);
    } finally {
      over.abort();
    }
  });
  await Promise.all(done);
  if (failures.length > 0) throw failures[0];
};
