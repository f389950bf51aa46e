import type { Consumer } from 'kafkajs';
import { BrokerUnavailable } from '../broker.ts';
import { stallCheckMs, stallMs } from './limits.ts';

/** Calls back once when a consumer has crashed or has made no progress for too long. Progress means: a broker has answered a heartbeat or a
 * commit, or the group was joined; and no broker has left a fetch unanswered.
 * @returns a function that stops the watch */
export const watchProgress = (consumer: Pick<Consumer, 'events' | 'on'>, onStuck: (error: BrokerUnavailable) => void): (() => void) => {
  const { events } = consumer;
  let movedAt = performance.now();
  /** By broker, the time of its oldest unanswered fetch. */
  const asked = new Map<number, number>();
  const moved = (): void => {
    movedAt = performance.now();
  };
  const stop = (): void => {
    clearInterval(timer);
    for (const unlisten of listening) unlisten();
  };
  const tell = (error: BrokerUnavailable): void => {
    stop();
    onStuck(error);
  };
  const listening = [
    consumer.on(events.HEARTBEAT, moved),
    consumer.on(events.COMMIT_OFFSETS, moved),
    consumer.on(events.GROUP_JOIN, () => {
      asked.clear();
      moved();
    }),
    consumer.on(events.FETCH_START, ({ payload }) => {
      if (!asked.has(payload.nodeId)) asked.set(payload.nodeId, performance.now());
    }),
    consumer.on(events.FETCH, ({ payload }) => void asked.delete(payload.nodeId)),
    consumer.on(events.CRASH, ({ payload }) => tell(new BrokerUnavailable('The consumer has crashed.', { cause: payload.error }))),
  ];
  const timer = setInterval(() => {
    const since = Math.min(movedAt, ...asked.values());
    if (performance.now() - since > stallMs) tell(new BrokerUnavailable(`The consumer has made no progress for ${stallMs} ms.`));
  }, stallCheckMs);
  return stop;
};
