/** A partition of a generation of the read side stands at this position now, or further. */
export type Announcement = { readonly generation: string; readonly partition: number; readonly position: number };

/** How those who fill the read side tell those who wait for it. Hints, all of it: they may be lost, late, repeated or out of order, and
 * whoever waits asks the read side where none comes. */
export type Announcements = {
  /** Best effort: it never throws, and waits for nobody. */
  readonly publish: (announcements: readonly Announcement[]) => void;
  /** Calls the listener with what is announced from now on, until the function that it gives is called. */
  readonly subscribe: (listener: (announcements: readonly Announcement[]) => void) => () => void;
};

/** Announcements in one message; more than one is sent where there are more. */
export const announcementsMax = 100;
