import { EventEmitter } from 'node:events';
import { type Consumer, Kafka } from 'kafkajs';
import { BrokerUnavailable } from '../broker.ts';
import { stallMs } from './limits.ts';
import { watchProgress } from './progress.ts';

const { events } = new Kafka({ brokers: ['none:1'] }).consumer({ groupId: 'none' });

/** The part of a consumer that the watch uses. */
const fakeConsumer = () => {
  const emitter = new EventEmitter();
  const on = ((name: string, listener: (event: object) => void) => {
    emitter.on(name, listener);
    return () => emitter.off(name, listener);
  }) as Consumer['on'];
  return {
    consumer: { events, on },
    tell: (name: keyof typeof events, payload: object = {}) => emitter.emit(events[name], { payload }),
    emitter,
  };
};

describe('the watch over a consumer', () => {
  const stuck: Error[] = [];
  let { consumer, tell, emitter } = fakeConsumer();
  let stop: () => void;
  beforeEach(() => {
    jest.useFakeTimers();
    stuck.length = 0;
    ({ consumer, tell, emitter } = fakeConsumer());
    stop = watchProgress(consumer, (error) => stuck.push(error));
  });
  afterEach(() => {
    stop();
    jest.useRealTimers();
  });

  const third = stallMs / 3;

  it('reports nothing while brokers answer', () => {
    for (let round = 0; round < 9; round += 1) {
      tell('FETCH_START', { nodeId: 1 });
      jest.advanceTimersByTime(third);
      tell('FETCH', { nodeId: 1 });
      tell(round % 2 === 0 ? 'HEARTBEAT' : 'COMMIT_OFFSETS');
    }
    expect(stuck).toEqual([]);
  });

  it('reports once when no broker has answered for too long', () => {
    jest.advanceTimersByTime(4 * stallMs);
    expect(stuck).toEqual([expect.any(BrokerUnavailable)]);
  });

  it('does not count fetches that returned, perhaps with an error, as progress', () => {
    for (let round = 0; round < 9; round += 1) {
      tell('FETCH_START', { nodeId: 1 });
      tell('FETCH', { nodeId: 1 });
      jest.advanceTimersByTime(third);
    }
    expect(stuck).toHaveLength(1);
  });

  it('reports when one broker has not answered a fetch although others answer', () => {
    for (let round = 0; round < 9; round += 1) {
      for (const nodeId of [1, 2]) tell('FETCH_START', { nodeId });
      jest.advanceTimersByTime(third);
      tell('FETCH', { nodeId: 1 });
      tell('HEARTBEAT');
    }
    expect(stuck).toHaveLength(1);
  });

  it('restarts when the group was joined', () => {
    tell('FETCH_START', { nodeId: 1 });
    jest.advanceTimersByTime(2 * third);
    tell('GROUP_JOIN');
    jest.advanceTimersByTime(2 * third);
    expect(stuck).toEqual([]);
  });

  it('reports a crash at once, with its cause', () => {
    const error = new Error('no more');
    tell('CRASH', { error });
    expect(stuck).toEqual([expect.objectContaining({ cause: error })]);
  });

  it('reports nothing once it is stopped, and removes its listeners', () => {
    stop();
    tell('CRASH');
    jest.advanceTimersByTime(4 * stallMs);
    expect(stuck).toEqual([]);
    expect(emitter.eventNames()).toEqual([]);
  });
});
