/** A report that a partition of a generation of the read models is at this position or beyond. */
export type Announcement = { readonly generation: string; readonly partition: number; readonly position: number };

/** Carries positions from the projectors, which fill the read models, to the commands that wait for them. All announcements are hints: they
 * may be lost, late, repeated or out of order. Where none arrives, the waiting process queries the read models. */
export type Announcements = {
  /** Publishes at best effort: it never throws and never waits. */
  readonly publish: (announcements: readonly Announcement[]) => void;
  /** Calls the listener with all later announcements, until the returned function is called. */
  readonly subscribe: (listener: (announcements: readonly Announcement[]) => void) => () => void;
};

/** The maximum number of announcements in one message. More are sent in several messages. */
export const announcementsMax = 100;
