import type { RecordedEvent } from '@waymark/domain/event.ts';
import { type Position, subscriptionEventsMax } from '../event-log.ts';
import type { FollowedLog, Follower } from '../follower.ts';

/** Keeps a follower up to date: from memory while it keeps up, from the log where it fell behind. */
export type FollowerFeed = {
  /** Returns the last position that the follower is known to have. */
  readonly followed: () => Position;
  /** Delivers the events that were just committed to a follower that has all events before them. */
  readonly committed: (before: Position, events: () => readonly RecordedEvent[]) => Promise<void>;
  /** Returns whether the follower has events to catch up with now. */
  readonly behind: () => boolean;
  /** Delivers one batch of the events to catch up with. */
  readonly step: () => Promise<void>;
  readonly tell: (message: unknown) => Promise<unknown>;
  readonly close: () => Promise<void>;
};

/** The pause after which a follower that failed is called again, in milliseconds. */
const retryAfterMs = 1_000;

export type FollowerFeedPorts = {
  readonly open: () => Promise<Follower>;
  readonly log: FollowedLog;
  readonly head: () => Position;
  readonly report: (error: Error) => void;
  /** Called when a pause is over. */
  readonly resume: () => void;
};

export const createFollowerFeed = ({ open, log, head, report, resume }: FollowerFeedPorts): FollowerFeed => {
  let follower: Follower | undefined;
  let followed: Position = 0;
  let known = false;
  let pause: NodeJS.Timeout | undefined;

  const fail = (error: unknown): void => {
    known = false;
    clearTimeout(pause);
    report(error instanceof Error ? error : new Error(String(error)));
    pause = setTimeout(() => {
      pause = undefined;
      resume();
    }, retryAfterMs);
  };
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      fail(error);
    }
  };
  const handOver = async (events: readonly RecordedEvent[]): Promise<void> => {
    const last = events.at(-1);
    if (follower === undefined || last === undefined) return;
    await follower.handle(events);
    followed = last.position;
  };
  const ask = async (): Promise<void> => {
    follower ??= await open();
    const reached = await follower.position();
    if (reached > head()) throw new Error(`The follower is at position ${reached}, beyond the end of the log at ${head()}.`);
    followed = reached;
    known = true;
  };
  const tell = async (message: unknown): Promise<unknown> => {
    known = false;
    follower ??= await open();
    try {
      return await follower.message(message);
    } finally {
      await attempt(ask);
    }
  };
  return {
    followed: () => followed,
    committed: async (before, events) => {
      if (known && followed === before) await attempt(() => handOver(events()));
    },
    behind: () => pause === undefined && (!known || followed < head()),
    step: () => attempt(known ? () => handOver(log.readAfter(followed, subscriptionEventsMax)) : ask),
    tell,
    close: async () => {
      clearTimeout(pause);
      await follower?.close();
    },
  };
};

/** The feed of a log without a follower. */
export const noFollowerFeed: FollowerFeed = {
  followed: () => 0,
  committed: async () => {},
  behind: () => false,
  step: async () => {},
  tell: async () => {
    throw new Error('There is no follower for the message.');
  },
  close: async () => {},
};
