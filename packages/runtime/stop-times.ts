/** Seconds from the end of the drain until a process has finished, or is ended: below the 10 s of `docker stop`. */
export const stopSecondsDefault = 9;

/** What the answers in flight may take of the time to stop; the rest is for what is closed after them. */
const answersShare = 2 / 3;

type StopSettings = {
  /** 0: the default. */
  readonly WAYMARK_STOP_SECONDS: number;
  /** Of a projector, which may feed for so long before it ends. */
  readonly WAYMARK_GRACE_SECONDS?: number;
};

/** How long a process has to finish, once it answers no new requests. */
export const stopMs = ({ WAYMARK_STOP_SECONDS: seconds, WAYMARK_GRACE_SECONDS: grace = 0 }: StopSettings): number =>
  (seconds || grace + stopSecondsDefault) * 1_000;

/** How long the answers in flight may take of that. */
export const answersMs = (settings: StopSettings): number => stopMs(settings) * answersShare;
