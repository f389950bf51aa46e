/** All limits of the media stores and of the inspection of images. */

/** Pixels of one frame, as claimed by the header: about the size that the largest cameras produce. */
export const framePixelsMax = 50_000_000;
/** Pixels of all frames of an animation together. */
export const animationPixelsMax = 250_000_000;
/** Images that are inspected at once. Each uses one of the four threads of Node's pool, which file access and name resolution need as well. */
export const inspectionsMax = 2;
/** Images that wait for inspection; each holds its bytes in memory. */
export const inspectionsWaitingMax = 32;
/** Limit of one inspection, including its wait in the queue. */
export const inspectionTimeoutMs = 5_000;

/** Age after which an unfinished file is deleted: the process that wrote it is gone. */
export const leftoverAgeMs = 60 * 60 * 1000;

/** Limit of one call to a network store, including retries. A call that stores a file includes all its bytes; a call that reads includes
 * one piece. */
export const storeCallMs = 10_000;
/** Files in one page of a listing. */
export const listedAtOnceMax = 500;
/** Connections of one process to a store. */
export const storeConnectionsMax = 32;
/** Size of a chunk of a file in GridFS. */
export const chunkBytesMax = 1024 * 1024;
/** Largest piece that is read from any store at a time: each reader holds up to this many bytes in memory. */
export const pieceBytesMax = 1024 * 1024;
/** Size of a piece read from the disk. The disk delivers the next piece sooner than one of this size is sent. */
export const diskPieceBytes = 128 * 1024;
/** Longest pause before a retry after a conflict with another writer. The pause is random. */
export const retryPauseMsMax = 50;

/** Parts of an image: chunks, segments, blocks or boxes. Encoders write a few hundred, and a few for each frame of an animation. */
export const imagePartsMax = 50_000;
/** Entries of an EXIF block that are read. */
export const exifEntriesMax = 1_000;
/** A longer copyright notice is not kept. */
export const copyrightBytesMax = 1_000;
/** Items of an AVIF, and pieces of these items. */
export const avifItemsMax = 1_000;
export const avifExtentsMax = 2_000;
