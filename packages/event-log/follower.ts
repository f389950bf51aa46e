import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { LogState, Position } from './event-log.ts';

/** Processes every committed event beside the log's writer, in the writer's own thread, before the append is acknowledged. It keeps the
 * read models of a standalone server, which are therefore up to date when a request is answered. Its functions are never called at the same
 * time. */
export type Follower = {
  /** Returns its position: it has all events up to here, and none after. Called at the start, after a failure and after each message. It
   * may throw, as all functions here may. The error is then reported, appends continue without the follower, and it is called again after a
   * pause. */
  readonly position: () => Promise<Position>;
  /** Processes the events that follow its position, in order, all or none. */
  readonly handle: (events: readonly RecordedEvent[]) => Promise<void>;
  /** Processes a message of the main thread (any value that can be sent between threads), and returns the answer. */
  readonly message: (message: unknown) => Promise<unknown>;
  readonly close: () => Promise<void>;
};

/** The log as its follower sees it: over the writer's own connection, between two commits. */
export type FollowedLog = {
  /** @throws LogUnavailable */
  readonly state: () => LogState;
  /** Returns events after a position, in order; none only at the head.
   * @throws LogUnavailable */
  readonly readAfter: (position: Position, limit: number) => readonly RecordedEvent[];
};

/** The type of `openFollower`, which a follower's module exports. */
export type OpenFollower = (options: Record<string, unknown>, log: FollowedLog) => Promise<Follower>;
