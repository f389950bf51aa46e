import type { BackOffLimits } from '@waymark/timing/back-off.ts';

/** How long a call may be silent by default, in milliseconds. The server gives an append two seconds. */
export const callMsDefault = 5_000;
/** The deadline of an append, in milliseconds. An append over the batch RPC carries its deadline as a time of day. It is so far in the
 * future that errors of clocks do not matter; the client's own timer counts. */
export const appendDeadlineMs = 86_400_000;

/** The server's limit for one append, in bytes of content, without envelopes. */
export const appendBytesMax = 1_048_576;
/** The maximum size of one event's envelope, in bytes. With it, the largest event stays far below the 16 MiB of a message. */
export const envelopeBytesMax = 65_536;
export const appendEventsMax = 10_000;
/** The maximum number of appends in progress, and of the bytes in them. Further appends are refused. This bounds the memory that a server
 * that hangs can cost. */
export const waitingMax = { appends: 10_000, bytes: 67_108_864 };

/** The maximum number of simultaneous reads of the ends of streams. */
export const concurrentReadsMax = 16;
/** The maximum number of streams whose ends wait to be read. */
export const readsWaitingMax = 100_000;
/** The log is searched backwards for its last event that Waymark wrote. These are the sizes of the first pages; usually it is the first
 * event. */
export const headPages = [1, 32, 512];
/** The size of all further pages. */
export const headPageMax = 4_096;

/** How many events and characters a subscription buffers while earlier events are processed. */
export const readyMax = { events: 2_000, characters: 8_000_000 };
/** The number of characters of content after which a batch ends, however few events it has. */
export const batchCharactersMax = 8_000_000;
/** The number of events without a match after which the server interrupts its search. Larger steps pass housekeeping faster. */
export const searchWindow = 500;
/** Checkpoints cannot be used (see `createSubscribe`), so the server is asked to send as few as possible. */
export const checkpointInterval = 1_000;
/** How long a subscription may be quiet before it is compared with the log, in milliseconds. */
export const quietMs = 1_000;
/** The number of events in a page when the log is compared with what a subscription has delivered. */
export const comparedMax = 100;

/** The pauses before a subscription is renewed. They double while subscriptions deliver nothing. */
export const routinePauses: BackOffLimits = { firstMs: 5, lastMs: 1_000 };
export const errorPauses: BackOffLimits = { firstMs: 50, lastMs: 1_000 };
/** How often each subscription checks whether streams were erased, in milliseconds. */
export const erasedStreamsCheckMs = 1_000;
/** The pause before a failed check is repeated, in milliseconds. */
export const erasedStreamsRetryMs = 50;
/** How often a lasting error is logged, in milliseconds. */
export const logErrorEveryMs = 60_000;

/** How many of the log's names are read together. */
export const namesPageMax = 200;
