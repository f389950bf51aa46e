import type { RecordedEvent } from '@waymark/domain/event.ts';
import type { LogState, Position } from './event-log.ts';

/** What takes in every committed event beside the log's writer, in the writer's own thread, before the append is acknowledged: the
 * read side of a standalone server, which so is up to date when a request is answered. It is never asked two things at once. */
export type Follower = {
  /** Where it stands: it has all events up to here, none after. Asked at the start, after a failure and after each message.
   * May throw, as everything here: it is reported, appends go on without it, and it is asked again after a pause. */
  readonly position: () => Promise<Position>;
  /** Takes in the events that follow its position, in order, all or nothing. */
  readonly handle: (events: readonly RecordedEvent[]) => Promise<void>;
  /** Is told something by the main thread (whatever a message between threads can carry) and answers. */
  readonly message: (message: unknown) => Promise<unknown>;
  readonly close: () => Promise<void>;
};

/** The log as its follower sees it: over the writer's own connection, between two commits. */
export type FollowedLog = {
  /** @throws LogUnavailable */
  readonly state: () => LogState;
  /** Events after a position, in order; none only at the head. @throws LogUnavailable */
  readonly readAfter: (position: Position, limit: number) => readonly RecordedEvent[];
};

/** What a follower's module exports as `openFollower`. */
export type OpenFollower = (options: Record<string, unknown>, log: FollowedLog) => Promise<Follower>;
