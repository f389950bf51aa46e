/** Every limit of what talks to Redis, in one place. */

/** A command without an answer fails then: Redis holds up nobody for longer. */
export const commandTimeoutMs = 200;
/** A connection on which an answer is due and nothing comes is cut: what waits on it is bounded by what is sent until then, and afterwards
 * commands fail at once. */
export const silenceMs = 1_000;
export const connectTimeoutMs = 1_000;
/** A closed connection whose other end does not close it, too, is cut then. */
export const disconnectMs = 200;
/** Pauses between tries to connect: doubled from the first to the last. */
export const reconnectMsMin = 50;
export const reconnectMsMax = 1_000;
/** A Redis that still reads its file is asked again this often. */
export const loadingRetryMs = 500;
/** Redis is told to be away when it has been so for this long. */
export const awayToldMs = 1_000;

/** A lease ends by itself so long after it was last renewed. */
export const leaseMs = 3_000;
/** It is renewed, and others ask for it, this often. */
export const leaseRenewMs = 500;
