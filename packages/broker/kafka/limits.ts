/** What a topic takes in one piece, and so the largest record: content of a megabyte, as JSON text within JSON text, is at most twice as long. */
export const messageBytesMax = 4 * 1024 * 1024;
/** One request to send: so many records, of so many bytes together unless one alone has more. */
export const requestRecordsMax = 1_000;
export const requestBytesMax = 1024 * 1024;
/** What one answer brings: of a partition, and of all; one record alone may have more. */
export const fetchPartitionBytesMax = 1024 * 1024;
export const fetchBytesMax = 8 * 1024 * 1024;
/** A fetch waits so long for something to come. */
export const fetchWaitMs = 50;

/** Records are kept so long: whoever was away for longer reads the event log. */
export const retentionMs = 6 * 60 * 60 * 1000;
/** And no more than so many bytes of a partition. */
export const retentionBytes = 2 * 1024 * 1024 * 1024;
/** Only whole segments are dropped. */
export const segmentMs = 60 * 60 * 1000;

export const connectMs = 3_000;
export const authenticationMs = 5_000;
/** A broker that does not answer by then is taken for away. */
export const requestMs = 8_000;
/** Tries of one question to the cluster, and the pauses between them. */
export const retriesMax = 6;
export const retryMs = 100;
export const retryMsMax = 1_000;
/** A whole question, with all its tries. */
export const questionMs = 30_000;
/** What is to end is left to itself after that. */
export const stopMs = 5_000;

export const heartbeatMs = 1_000;
/** A consumer that is silent for so long loses its partitions: the least that brokers allow unless told otherwise. */
export const sessionMs = 6_000;
/** When partitions are shared out anew, those who handle something have so long to finish. */
export const rebalanceMs = 15_000;
/** Offsets are only a hint of where to go on: they are kept now and then. */
export const commitMs = 1_000;
/** A consumer on which nothing has moved for so long is given up: nothing short of a new one is sure to help. */
export const stallMs = 30_000;
export const stallCheckMs = 1_000;
/** A consumer learns within this time that a topic has changed, where nothing else tells it. */
export const metadataMs = 30_000;

/** Records that somebody else wrote are told at most so often. */
export const alarmEveryMs = 10_000;
/** And are a warning for so long after the last of them. */
export const alarmForMs = 60 * 60 * 1000;

/** Other installations that records of a topic name: more are not told. */
export const namedMax = 100;

/** How far back the last record of a partition is looked for where the last offsets have none that can be read, and in how many fetches. */
export const lookBackOffsets = [1, 16, 256, 4_096] as const;
export const lookBackFetchesMax = 64;
