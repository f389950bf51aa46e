import type { Position } from '../event-log.ts';

/** A number of events, and the characters that they need in memory. */
export type Load = { readonly events: number; readonly characters: number };

/** What the writer's thread and all threads that use the log see at the same time. It lies in shared memory. */
export type SharedState = {
  readonly memory: SharedArrayBuffer;
  /** The position of the last event of the log. */
  readonly head: () => Position;
  /** The last position that the follower is known to have. */
  readonly followed: () => Position;
  /** Moves both positions. Only the writer does. */
  readonly move: (head: Position, followed: Position) => void;
  /** The appends that wait in all threads. */
  readonly waiting: () => Load;
  /** Adds appends to those that wait. Returns false, and adds nothing, if more than `max` would wait then. */
  readonly addWaiting: (load: Load, max: Load) => boolean;
  readonly removeWaiting: (load: Load) => void;
  /** Adds to the number of threads that wait for a move (1), or takes from it (-1). */
  readonly addListening: (threads: 1 | -1) => void;
  readonly isListening: () => boolean;
  /** Whether the writer refuses the appends of connected threads. */
  readonly isClosed: () => boolean;
  readonly setClosed: (closed: boolean) => void;
};

/** Places of the two positions, as numbers of 64 bits. */
const [headAt, followedAt, positions] = [0, 1, 2];
/** Places of the other numbers, of 32 bits. */
const [eventsAt, charactersAt, listeningAt, closedAt, others] = [0, 1, 2, 3, 4];

/** Opens the state; without memory, a new one. */
export const sharedState = (memory = new SharedArrayBuffer(positions * 8 + others * 4)): SharedState => {
  const moves = new BigInt64Array(memory, 0, positions);
  const numbers = new Int32Array(memory, positions * 8, others);
  const positionAt = (place: number) => (): Position => Number(Atomics.load(moves, place));
  const removeWaiting = ({ events, characters }: Load): void => {
    Atomics.sub(numbers, eventsAt, events);
    Atomics.sub(numbers, charactersAt, characters);
  };
  return {
    memory,
    head: positionAt(headAt),
    followed: positionAt(followedAt),
    move: (head, followed) => {
      Atomics.store(moves, headAt, BigInt(head));
      Atomics.store(moves, followedAt, BigInt(followed));
    },
    waiting: () => ({ events: Atomics.load(numbers, eventsAt), characters: Atomics.load(numbers, charactersAt) }),
    addWaiting: (load, max) => {
      const events = Atomics.add(numbers, eventsAt, load.events) + load.events;
      const characters = Atomics.add(numbers, charactersAt, load.characters) + load.characters;
      if (events <= max.events && characters <= max.characters) return true;
      removeWaiting(load);
      return false;
    },
    removeWaiting,
    addListening: (threads) => void Atomics.add(numbers, listeningAt, threads),
    isListening: () => Atomics.load(numbers, listeningAt) > 0,
    isClosed: () => Atomics.load(numbers, closedAt) === 1,
    setClosed: (closed) => void Atomics.store(numbers, closedAt, closed ? 1 : 0),
  };
};
