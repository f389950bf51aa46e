/** How long a call may be silent, unless somebody says otherwise. The server gives an append two seconds. */
export const callMsDefault = 5_000;
/** An append over the batch RPC carries its deadline as a time of day: so far away that no clock's error matters. Our own timer counts. */
export const appendDeadlineMs = 86_400_000;

/** What the server takes in one append: octets of content, not counting envelopes. */
export const appendBytesMax = 1_048_576;
/** Octets of one event's envelope: with it, the largest event stays far below the 16 MiB of a message. */
export const envelopeBytesMax = 65_536;
export const appendEventsMax = 10_000;
/** Appends on their way, and the octets in them, beyond which no more are taken: what a server that stands still may cost us. */
export const waitingMax = { appends: 10_000, bytes: 67_108_864 };

/** Reads of streams' ends that are under way at once. */
export const lookUpsMax = 16;
/** The log's last event of ours is looked for from its end back, in pages of so many events: mostly it is the first. */
export const headPages = [1, 32, 512];
/** And then in pages of so many each. */
export const headPageMax = 4_096;

/** Events and characters that a subscription keeps ready while those before are dealt with. */
export const readyMax = { events: 2_000, characters: 8_000_000 };
/** Characters of content after which a batch ends, however few events it has. */
export const batchCharactersMax = 8_000_000;
/** Events that the server may pass without one of ours before it looks up: larger steps pass housekeeping faster. */
export const searchWindow = 500;
/** Checkpoints are of no use to us (see `following`): asked for as rarely as may be. */
export const checkpointInterval = 1_000;
/** A subscription that is quiet for so long is compared with the log. */
export const quietMs = 1_000;
/** Events of a page in which the log is compared with what a subscription has given. */
export const comparedMax = 100;

/** Pauses before a subscription is made again: they double while nothing comes of it. */
export const routinePauseMs = 5;
export const troublePauseMs = 50;
export const pauseMsMax = 1_000;
/** Whether something was forgotten is looked up so often, by whoever follows. */
export const forgottenLookMs = 1_000;
/** Trouble that lasts is told again after so long. */
export const toldEveryMs = 60_000;

/** Names of the log that are read together. */
export const namesPageMax = 200;
