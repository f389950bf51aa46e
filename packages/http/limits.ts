/** Every limit of the HTTP edge, in one place. */

const mebibyte = 1024 * 1024;

/** What a body may have where a file may be: one of 5 MiB as base64 and the longest texts fit. */
export const bodyBytesMax = 8 * mebibyte;
/** What a body may have where no file may be. */
export const plainBodyBytesMax = 2 * mebibyte;
/** What the body of a token request may have. */
export const formBytesMax = 16 * 1024;
export const bodyDepthMax = 32;
/** Bodies from this size on are parsed one in each turn of the event loop. */
export const largeBodyBytes = 128 * 1024;
/** JSON values of a body, keys left out: a membership request of 9,000 elements fits. */
export const bodyValuesMax = 20_000;
/** The same of an operator's body: an import sends a thousand events in one. */
export const operatorBodyValuesMax = 1_000_000;

/** A part of the process's memory, between two bounds. */
export type MemoryShare = { readonly part: number; readonly bytesMin: number; readonly bytesMax: number };

/** What requests and responses in flight may take of the process's memory, all together; above it 503. A file's body costs some three times
 * its bytes until it is answered: as text, as base64 and as the file. */
export const memoryShares = {
  files: { part: 1 / 8, bytesMin: bodyBytesMax, bytesMax: 256 * mebibyte },
  plain: { part: 1 / 32, bytesMin: plainBodyBytesMax, bytesMax: 64 * mebibyte },
  forms: { part: 1 / 128, bytesMin: 1 * mebibyte, bytesMax: 16 * mebibyte },
  responses: { part: 1 / 8, bytesMin: bodyBytesMax, bytesMax: 256 * mebibyte },
} as const satisfies Record<string, MemoryShare>;
/** Responses up to this size are never refused; they count only while a connection has not taken them. */
export const smallResponseBytes = 16 * 1024;
/** A cache in memory: the part of the process's memory that it may take, about what an entry takes, and how many there are at most. */
export type CacheShare = { readonly part: number; readonly entryBytes: number; readonly entriesMax: number };

/** How many entries a cache has in a process that plans with so much memory. */
export const entriesOf = ({ part, entryBytes, entriesMax }: CacheShare, memoryBytes: number): number =>
  Math.min(entriesMax, Math.ceil((memoryBytes * part) / entryBytes));

/** Bodies that an operator port reads at once. */
export const operatorBodiesBytesMax = 64 * mebibyte;
/** Pieces of a body that are kept as they arrive; smaller ones are copied into blocks. */
export const bodyPieceBytesMin = 16 * 1024;
/** Bytes of one body that are read before the process does what else it has to do. */
export const bodyTurnBytesMax = 128 * 1024;
export const bodyBlockBytesMin = 4 * 1024;
export const bodyBlockBytesMax = 64 * 1024;
export const headersBytesMax = 16 * 1024;
export const connectionsMax = 10_000;
/** Requests that were sent before the one before them was answered, on all connections together; each connection reads on only without any. */
export const waitingRequestsMax = 10_000;
/** Connections of one peer, unless it is a trusted proxy. */
export const addressConnectionsDefault = connectionsMax / 2;
/** Requests of one address, without a credential that the process knows, that are in progress at once. */
export const addressRequestsMax = 500;
/** Connections that wait to be accepted. */
export const backlogMax = 511;
/** A client must have sent its headers by then. */
export const headersTimeoutMs = 10_000;
/** A connection must move so much while a body is read, or while written bytes wait for its client, over each such time. */
export const transferBytesPerSecondMin = 10_000;
export const transferWindowMs = 30_000;
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
/** Values of `X-Forwarded-For` whose client is remembered, and their length with that of the proxy's address. */
export const addressesCachedMax = 10_000;
export const forwardedCharactersCachedMax = 160;
/** Failed guesses of one address, and of one client id there, in a minute. */
export const addressFailuresDefault = 300;
export const clientFailuresDefault = 10;
/** Lines per second that name failed authentications. */
export const failureLinesMax = 10;
