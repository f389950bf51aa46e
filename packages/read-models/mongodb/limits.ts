/** A call to MongoDB, from waiting for a connection to the last byte of the answer. */
export const callMs = 2_000;
/** Until it is said why no server can be reached: less than a call, or nobody would hear it. */
export const selectionMs = 1_500;
/** A batch's transaction, with all its tries. */
export const applyMs = 20_000;
/** Making collections and indexes, or dropping them. */
export const schemaMs = 30_000;
/** A digest reads everything that there is. */
export const digestMs = 30 * 60_000;
/** How long a socket may say nothing: an answer that nobody waits for any more must not hold its connection for good. */
export const silenceMs = 60_000;

export const connectionsMax = 50;
export const transactionTriesMax = 6;
export const retryPauseMs = 20;
/** Others that are in the way for so long may be nobody any more. */
export const heldUpMs = 500;
/** Sessions whose transactions are ended together; what has not been used for so long left nothing behind: a minute is the server's own limit. */
export const writersMax = 1_000;
export const writerKnownMs = 60 * 60_000;

/** Texts that a page reads together: the default page is one batch. */
export const pageBatchMax = 32;
/** Ids that go into one question. */
export const idsPerQuestionMax = 10_000;
/** Single documents asked for together. */
export const findsTogetherMax = 500;
/** Questions for single documents of one kind that are under way at once; what is asked for meanwhile travels with the next. */
export const findsUnderWayMax = 4;
/** Those that wait for the next question; who comes then is told at once that the read side is away. */
export const findsWaitingMax = findsTogetherMax * findsUnderWayMax;

/** Events of one transaction. Each may name 1,000 members. */
export const eventsTogetherMax = 10_000;

/** How old what a process knows of the live generation may be before it asks again. */
export const refreshMs = 500;
/** How old it may be at all: then the process reads nothing and confirms nothing. */
export const leaseMs = 2_000;
/** After so long everybody knows of a change, or has stopped. */
export const settledMs = leaseMs + refreshMs;
/** How long a new generation may take to catch up with the live one when it is to take its place. */
export const catchUpMs = 60_000;
/** How long readers of the generation before may go on after a change of versions. */
export const graceMs = 10 * 60_000;
/** How often a reader registers, at least. */
export const seenMs = 1_000;
/** How often a process shows that its installation lives. */
export const beatMs = 1_000;
/** A reader that has not registered for so long is gone. */
export const silentMs = 5 * seenMs;
export const promoteStepsMax = 20;
export const generationsMax = 100;
export const readersMax = 10_000;
/** Generations whose handles a process keeps. */
export const handlesMax = 16;
export const digestTriesMax = 20;
/** Rows of two generations that may be different at the first look, or are: more are not needed to know it. */
export const differencesMax = 10_000;
/** Rows of each that are fetched at a time: beside live traffic, whose turn must come soon. */
export const comparedTogether = 250;
/** Of those that are different at first, those that are looked at again together, how often until both generations stand at the same position, and the pause between. */
export const suspectsTogether = 500;
export const compareTriesMax = 300;
export const comparePauseMs = 10;
/** Rows that are named where generations are different. */
export const examplesMax = 10;
/** Rows that a digest fetches at a time. */
export const rowsTogether = 1_000;
/** A longer text is no facts of a log. */
export const factsCharactersMax = 4_096;
