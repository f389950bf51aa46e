/** Every limit of the HTTP edge, in one place. */

/** What a request's body may have: a file of 5 MiB as base64 and the longest texts fit. */
export const bodyBytesMax = 8 * 1024 * 1024;
/** Bodies that are being read or handled at once, all requests together; above it 503. */
export const bodiesBytesMax = 256 * 1024 * 1024;
export const bodyDepthMax = 32;
export const headersBytesMax = 16 * 1024;
export const connectionsMax = 10_000;
/** Requests that were sent before the one before them was answered, on all connections together; each connection reads on only without any. */
export const waitingRequestsMax = 10_000;
/** Connections that wait to be accepted. */
export const backlogMax = 511;
/** A client must have sent its headers by then. */
export const headersTimeoutMs = 10_000;
/** A client must have sent its whole request by then. */
export const requestTimeoutMs = 60_000;
export const keepAliveTimeoutMs = 30_000;
/** A connection on which nothing moves is cut, answers to slow readers included. */
export const socketIdleMs = 75_000;
/** After the last answer on a connection, what the client still sends is thrown away: so long at most, and until nothing comes. */
export const lingerMs = 30_000;
export const lingerQuietMs = 5_000;
/** At a shutdown, what a client has sent on a resting connection has this long to arrive. */
export const restingMs = 100;
export const connectionsCheckIntervalMs = 1_000;

export const requestIdCharactersMax = 128;
export const idempotencyKeyCharactersMax = 255;
export const membershipElementsMax = 1_000;

export const pageItemsDefault = 20;
export const pageItemsMax = 500;

/** Sent with a 503: seconds after which a repeat makes sense. */
export const retryAfterSeconds = 1;
/** Bearer headers, and applications, that are remembered. */
export const accessesCachedMax = 10_000;
/** Longer headers are looked at anew each time: they are none of ours. */
export const authorizationCharactersCachedMax = 128;
/** How long what a process knows of a token or an application is good without asking again. */
export const knowledgeFreshMs = 1_000;
/** Values of `X-Forwarded-For` whose client is remembered, and their length with that of the proxy's address. */
export const addressesCachedMax = 10_000;
export const forwardedCharactersCachedMax = 160;
/** Applications, or clients and their addresses, whose requests are counted at once. */
export const rateLimitKeysMax = 50_000;
