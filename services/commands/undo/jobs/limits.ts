/** All limits of undo jobs. */

/** The changes that one job undoes at most. A span of time divides more of them. */
export const changesMax = 250_000;
/** Those of one object: the history answers one question about all of them, and nobody else meanwhile. */
export const objectChangesMax = 50_000;
/** A correlation whose changes are further apart needs a span of time. */
export const spanMsMax = 24 * 60 * 60_000;
/** The changes that one question to the history asks for. */
export const changesTogether = 1_000;
/** The parts of a scope, each without a change, after which a request does not search on. */
export const emptyPartsMax = 20;
/** The objects of a job that are processed at the same time. */
export const objectsTogether = 4;
/** The events of a list that are appended together, and the members in them: also with the longest ids, they fit into one append. */
export const eventsTogether = 50;
export const membersAppendedTogether = 50_000;
/** The lines of one report, and the fields and members in them. A report also ends after a time. */
export const reportLinesMax = 500;
export const reportNamesMax = 20_000;
export const reportMs = 5_000;
/** The members that one line names at most. */
export const lineNamesMax = 10_000;
/** The applications that the progress names at most. */
export const applicationsMax = 100;
/** The jobs that have started and not ended, of all accounts and of one. */
export const openJobsMax = 1_000;
export const accountJobsMax = 20;
/** The jobs that a process runs at the same time, each of another account. */
export const jobsAtOnce = 2;
/** The accounts of which a process knows when they last started a job. */
export const startedAccountsMax = 1_000;
/** How often a process looks for jobs that others have started or left. */
export const watchMs = 1_000;
/** How long a process has a job after its last note, and how often it writes one. */
export const leaseMs = 10_000;
export const noteMs = 2_500;
/** The pauses after failed attempts. */
export const retryPauses = { firstMs: 500, lastMs: 30_000 };
/** A job that is listed must have its first event after this time. */
export const startMs = 60_000;
