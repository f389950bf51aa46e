import type { BackOffLimits } from '@waymark/timing/back-off.ts';

/** The largest message of a topic, and so the largest record. A megabyte of content, as JSON text within JSON text, is at most twice as
 * long. */
export const messageBytesMax = 4 * 1024 * 1024;
/** One send request: up to 1,000 records and 1 MiB in total, unless one record alone is larger. */
export const requestRecordsMax = 1_000;
export const requestBytesMax = 1024 * 1024;
/** One fetch response: the bytes of one partition, and of all. A single record may be larger. */
export const fetchPartitionBytesMax = 1024 * 1024;
export const fetchBytesMax = 8 * 1024 * 1024;
/** How long a fetch waits for records: it ends when there are some. A heartbeat or a commit waits for it, on the same connection. */
export const fetchWaitMs = 250;

/** How long records are kept. A reader that was offline for longer reads the event log. */
export const retentionMs = 6 * 60 * 60 * 1000;
/** The maximum size of a partition. */
export const retentionBytes = 2 * 1024 * 1024 * 1024;
/** The duration of a segment. Only whole segments are deleted. */
export const segmentMs = 60 * 60 * 1000;

export const connectMs = 3_000;
export const authenticationMs = 5_000;
/** A broker that does not answer within this time counts as unavailable. */
export const requestMs = 8_000;
/** Attempts of one query to the cluster, and the pauses between them. */
export const retriesMax = 6;
export const retryMs = 100;
export const retryMsMax = 1_000;
export const retryPauses: BackOffLimits = { firstMs: retryMs, lastMs: retryMs * 2 ** (retriesMax - 1) };
/** One query with all its attempts. */
export const questionMs = 30_000;
/** A connection that has not closed within this time is abandoned. */
export const stopMs = 5_000;

export const heartbeatMs = 1_000;
/** A consumer without a heartbeat for this long loses its partitions. It is the minimum that brokers allow by default. */
export const sessionMs = 6_000;
/** In a rebalance, consumers have this long to finish the batches that they are handling. */
export const rebalanceMs = 15_000;
/** The commit interval. Offsets are only a hint for where to resume, so they are committed now and then. */
export const commitMs = 1_000;
/** A consumer without progress for this long is given up: only a new one is certain to recover. */
export const stallMs = 30_000;
export const stallCheckMs = 1_000;
/** A consumer learns within this time that a topic has changed, where nothing else notifies it. */
export const metadataMs = 30_000;

/** The minimum interval between two log messages about records of another writer. */
export const alarmEveryMs = 10_000;
/** How long the warning stays after the last such record. */
export const alarmForMs = 60 * 60 * 1000;

/** The maximum number of other installations that are reported from the records of a topic. */
export const namedMax = 100;

/** How far back the last record of a partition is searched where the last offsets have no readable one, and in how many fetches. */
export const backwardOffsets = [1, 16, 256, 4_096] as const;
export const backwardFetchesMax = 64;
