/** Every limit of the HTTP layer, in one place. */

const mebibyte = 1024 * 1024;

/** Maximum size of a body that may contain a file. A file of 5 MiB as base64 fits, with the longest texts. */
export const bodyBytesMax = 8 * mebibyte;
/** Maximum size of a body that may not contain a file. */
export const plainBodyBytesMax = 2 * mebibyte;
/** Maximum size of the body of a token request. */
export const formBytesMax = 16 * 1024;
export const bodyDepthMax = 32;
/** Bodies of this size or more are parsed one per turn of the event loop. */
export const largeBodyBytes = 128 * 1024;
/** Maximum number of JSON values in a body; keys are not counted. A membership request of 9,000 elements fits. */
export const bodyValuesMax = 20_000;
/** The same limit for an operator's body: an import sends a thousand events in one body. */
export const operatorBodyValuesMax = 1_000_000;

/** A share of the process's memory, between two bounds. */
export type MemoryShare = { readonly part: number; readonly bytesMin: number; readonly bytesMax: number };

/** The shares of the process's memory that all requests and responses in flight may take; above them the process answers 503. The body of a
 * file takes about three times its size until it is answered: as text, as base64 and as the file. */
export const memoryShares = {
  files: { part: 1 / 8, bytesMin: bodyBytesMax, bytesMax: 256 * mebibyte },
  plain: { part: 1 / 32, bytesMin: plainBodyBytesMax, bytesMax: 64 * mebibyte },
  forms: { part: 1 / 128, bytesMin: 1 * mebibyte, bytesMax: 16 * mebibyte },
  responses: { part: 3 / 32, bytesMin: bodyBytesMax, bytesMax: 256 * mebibyte },
} as const satisfies Record<string, MemoryShare>;
/** Responses up to this size are never refused. They count only until the connection has accepted them. */
export const smallResponseBytes = 16 * 1024;
/** A cache in memory: its share of the process's memory, the approximate size of an entry, and the maximum number of entries. */
export type CacheShare = { readonly part: number; readonly entryBytes: number; readonly entriesMax: number };

/** Returns the number of entries of a cache in a process that plans with `memoryBytes` of memory. */
export const entriesOf = ({ part, entryBytes, entriesMax }: CacheShare, memoryBytes: number): number =>
  Math.min(entriesMax, Math.ceil((memoryBytes * part) / entryBytes));

/** Total size of the bodies that an operator port reads at once. */
export const operatorBodiesBytesMax = 64 * mebibyte;
/** Pieces of a body of this size or more are kept as they arrive. Smaller ones are copied into blocks. */
export const bodyPieceBytesMin = 16 * 1024;
/** Bytes of one body that are read before the process does its other work. */
export const bodyTurnBytesMax = 128 * 1024;
export const bodyBlockBytesMin = 4 * 1024;
export const bodyBlockBytesMax = 64 * 1024;
export const headersBytesMax = 16 * 1024;
export const connectionsMax = 10_000;
/** Requests that were sent before the previous one on their connection was answered, on all connections together. A connection is read
 * further only when no request waits on it. */
export const waitingRequestsMax = 10_000;
/** Connections of one peer, unless it is a trusted proxy. */
export const addressConnectionsDefault = connectionsMax / 2;
/** Requests in progress from one address that have no credential known to the process. */
export const addressRequestsMax = 500;
/** The tables that all threads of a process share have buckets of this number of slots. */
export const slotsOfBucket = 32;
/** The table of what is open at the moment, by key (peer, address, or caller of a budget): 65,536 keys, in 0.8 MB. That is four keys and more
 * for each connection. */
export const bucketsOfAmounts = 2_048;
/** The largest amount in that table. */
export const amountMax = 2 ** 31 - 1;
/** The keys whose place in that table a thread caches. */
export const amountKeysCached: CacheShare = { part: 1 / 256, entryBytes: 400, entriesMax: 10_000 };
/** The table of known tokens and secrets: 16,384 keys, in 0.1 MB. */
export const bucketsOfKnownKeys = 512;
/** How often a thread tries to lock a bucket at once; how often, and how long each time, it then waits for the lock before it does without. */
export const lockTriesMax = 1_000;
export const lockWaitsMax = 1_000;
export const lockWaitMs = 1;
/** Connections that wait to be accepted. */
export const backlogMax = 511;
/** The time within which a client must have sent its headers. */
export const headersTimeoutMs = 10_000;
/** The minimum transfer rate of a connection over each window, while a body is read or while written bytes wait for the client. */
export const transferBytesPerSecondMin = 10_000;
export const transferWindowMs = 30_000;
export const keepAliveTimeoutMs = 30_000;
/** A connection without any transfer is closed after this time, even while a response waits for a slow client. */
export const socketIdleMs = 75_000;
/** After the last response on a connection, further data from the client is discarded, for `lingerMs` at most. The connection is closed
 * earlier if no data arrives for `lingerQuietMs`. */
export const lingerMs = 30_000;
export const lingerQuietMs = 5_000;
/** At a shutdown, the time that data already sent on an idle connection has to arrive. */
export const idleArrivalMs = 100;
/** At a shutdown, the time that a client has to send its first request on a new connection: a busy client may send it later than it connects. */
export const firstArrivalMs = 500;
export const connectionsCheckIntervalMs = 1_000;

export const requestIdCharactersMax = 128;
/** The field names that the record of a refused request holds. */
export const refusedFieldsMax = 20;
export const idempotencyKeyCharactersMax = 255;
export const membershipElementsMax = 1_000;

export const pageItemsDefault = 20;
export const pageItemsMax = 500;

/** Sent with a 503: the seconds after which a retry makes sense. */
export const retryAfterSeconds = 1;
/** Maximum number of cached values of `X-Forwarded-For`, and maximum length of such a value together with the proxy's address. */
export const addressesCachedMax = 10_000;
export const forwardedCharactersCachedMax = 160;
/** Failed guesses per minute from one address, and for one client id from one address. */
export const addressFailuresDefault = 300;
export const clientFailuresDefault = 10;
/** Log lines per second for failed authentications. */
export const failureLinesMax = 10;
