import { setImmediate as nextTurn } from 'node:timers/promises';
import { newStream, someEvents } from '../testing/some-events.ts';
import { appendsAtOnce, createAppendQueue, messagesInFlightMax } from './append-queue.ts';
import type { Outcome, PackedAppend } from './messages.ts';
import { sharedState } from './shared-state.ts';

/** Returns a queue, and the messages that it has sent. */
const openQueue = () => {
  const messages: (readonly PackedAppend[])[] = [];
  const queue = createAppendQueue(sharedState(), (appends) => messages.push([...appends]));
  const append = (count: number): readonly string[] => {
    const streams = Array.from({ length: count }, newStream);
    for (const stream of streams) void queue.append(stream, someEvents(1), 'none');
    return streams;
  };
  /** Settles the oldest message in flight. */
  const settle = (count: number): void => queue.settle(Array.from({ length: count }, (): Outcome => 'conflict'));
  const sizes = (): readonly number[] => messages.map(({ length }) => length);
  const streams = (): readonly string[] => messages.flat().map(([stream]) => stream);
  return { append, settle, sizes, streams };
};

describe('the queue of appends', () => {
  it('sends the few appends of one turn in one message, at the end of the turn', async () => {
    const { append, sizes } = openQueue();
    append(appendsAtOnce - 1);
    expect(sizes()).toEqual([]);
    await nextTurn();
    expect(sizes()).toEqual([appendsAtOnce - 1]);
  });

  it('sends the first of many appends at once, and the others at the end of the turn, in their order', async () => {
    const { append, sizes, streams } = openQueue();
    const appended = append(appendsAtOnce + 1);
    expect(sizes()).toEqual([appendsAtOnce]);
    await nextTurn();
    expect(sizes()).toEqual([appendsAtOnce, 1]);
    expect(streams()).toEqual(appended);
  });

  it('gathers appends while the writer has enough messages, and sends them in one in the turn in which it settles one', async () => {
    const { append, settle, sizes, streams } = openQueue();
    const appended = append(appendsAtOnce * (messagesInFlightMax + 2));
    await nextTurn();
    expect(sizes()).toEqual(Array(messagesInFlightMax).fill(appendsAtOnce));
    settle(appendsAtOnce);
    await nextTurn();
    expect(sizes()).toEqual([...Array(messagesInFlightMax).fill(appendsAtOnce), 2 * appendsAtOnce]);
    expect(streams()).toEqual(appended);
  });
});
