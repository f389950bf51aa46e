/** Every limit of the media stores and of the inspection of images, in one place. */

/** Pixels of one frame, as its header claims them: about what the largest cameras make. */
export const framePixelsMax = 50_000_000;
/** Pixels of all the frames of an animation together. */
export const animationPixelsMax = 250_000_000;
/** Images that are looked at at once, each on a thread of Node's pool of four, which files and name resolution need as well. */
export const inspectionsMax = 2;
/** Images that wait for their turn; each holds its bytes in memory meanwhile. */
export const inspectionsWaitingMax = 32;
/** From the moment an image is handed over. */
export const inspectionTimeoutMs = 5_000;

/** A file that was not finished after this long never will be: its process is gone. */
export const leftoverAgeMs = 60 * 60 * 1000;

/** One call of a store over the network, with everything that belongs to it: repeats, the bytes of the largest file. */
export const storeCallMs = 10_000;
/** Files in one question of a listing. */
export const listedAtOnceMax = 500;
/** Connections that one process holds to a store. */
export const storeConnectionsMax = 32;
/** A file is kept in pieces of this size in GridFS. */
export const chunkBytesMax = 1024 * 1024;
/** Before what another writer was in the way of is tried again: up to this long, at random. */
export const retryPauseMsMax = 50;
