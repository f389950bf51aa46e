/** The time limit of a call to MongoDB, from waiting for a connection to the last byte of the response. */
export const callMs = 2_000;
/** The time limit for finding a server. It is below that of a call, so that the caller still gets the reason. */
export const selectionMs = 1_500;
/** A batch's transaction with all its attempts. */
export const applyMs = 20_000;
/** Creating or dropping collections and indexes. */
export const schemaMs = 30_000;
/** A digest, which reads all rows. */
export const digestMs = 30 * 60_000;
/** The time limit for a silent socket. A response that no caller waits for any more must not occupy its connection for ever. */
export const silenceMs = 60_000;

export const connectionsMax = 50;
export const transactionTriesMax = 6;
export const retryPauseMs = 20;
/** After this time, conflicting transactions may belong to processes that no longer exist. */
export const blockedMs = 500;
/** The maximum number of sessions whose transactions are ended together, and how long a session stays known. A session unused for that long
 * left nothing open: the server's own limit is a minute. */
export const writersMax = 1_000;
export const writerKnownMs = 60 * 60_000;

/** Pages of one account that a process reads at once, and further ones that wait for their turn. A large page occupies the database for a
 * tenth of a second. */
export const accountPagesMax = 4;
export const accountPagesWaitingMax = 256;
/** Texts that a page reads in one batch. The default page is one batch. */
export const pageBatchMax = 32;
/** Ids in one query. */
export const idsPerQuestionMax = 10_000;
/** Single documents requested in one query. */
export const findsTogetherMax = 500;
/** Queries for single documents of one kind that run at once. Requests that arrive meanwhile share the next query. */
export const findsUnderWayMax = 4;
/** Documents that wait for the next query. Further ones are refused at once, as if the read models were unavailable. */
export const findsWaitingMax = findsTogetherMax * findsUnderWayMax;

/** Events of one transaction. Each may name 1,000 members. */
export const eventsTogetherMax = 10_000;
/** The text of the documents that one transaction of several events changes: the text is in memory as it was, as it becomes, and as it is
 * sent. */
export const changedCharactersMax = 8_000_000;
/** The memberships, and the events at pinpoints, that one transaction of several events shows or hides with their pinpoints. */
export const shownTogetherMax = 5_000;

/** The age at which a process reads its knowledge of the live generation again. */
export const refreshMs = 500;
/** The maximum age of that knowledge. Beyond it the process reads nothing and confirms nothing. */
export const leaseMs = 2_000;
/** After this time every process knows of a change, or has stopped reading. */
export const settledMs = leaseMs + refreshMs;
/** How long a new generation may take to catch up with the live one before it replaces it. */
export const catchUpMs = 60_000;
/** How long readers of the previous generation may continue after a change of versions. */
export const graceMs = 10 * 60_000;
/** The interval at which a process asks which generation is live, and registers as its reader. */
export const seenMs = 1_000;
/** The interval at which a process shows that its installation is alive. */
export const beatMs = 2_500;
/** A reader that has not registered for this long no longer exists. */
export const silentMs = 5 * seenMs;
export const promoteStepsMax = 20;
export const generationsMax = 100;
export const readersMax = 10_000;
/** The maximum number of generations whose handles a process keeps. */
export const handlesMax = 16;
export const digestTriesMax = 20;
/** The maximum number of rows that differ at first, or in the end. More are not needed for a result. */
export const differencesMax = 10_000;
/** Rows fetched at a time from each generation. The number is small, so that live traffic in between is soon served. */
export const comparedTogether = 250;
/** Of the rows that differ at first: how many are read again together, how often until both generations are at the same position, and the
 * pause in between. */
export const suspectsTogether = 500;
export const compareTriesMax = 300;
export const comparePauseMs = 10;
/** The maximum number of different rows that are named. */
export const examplesMax = 10;
/** Rows that a digest fetches at a time. */
export const rowsTogether = 1_000;
/** The maximum length of the facts of a log. A longer text is not valid facts. */
export const factsCharactersMax = 4_096;
