/** Seconds from the end of the drain until a process has finished or is ended: less than the 10 s of `docker stop`. */
export const stopSecondsDefault = 9;

/** The share of the time to stop that the responses in flight may take. The rest is for what is closed after them. */
const answersShare = 2 / 3;

type StopSettings = {
  /** 0 means the default. */
  readonly WAYMARK_STOP_SECONDS: number;
  /** Of a projector, which may feed for this time before it ends. */
  readonly WAYMARK_GRACE_SECONDS?: number;
};

/** Returns how long a process has to finish, once it answers no new requests. */
export const stopMs = ({ WAYMARK_STOP_SECONDS: seconds, WAYMARK_GRACE_SECONDS: grace = 0 }: StopSettings): number =>
  (seconds || grace + stopSecondsDefault) * 1_000;

/** Returns how long the responses in flight may take of that time. */
export const answersMs = (settings: StopSettings): number => stopMs(settings) * answersShare;
