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

/** One call of a store over the network, with everything that belongs to it: repeats; of a file that is stored, its bytes; of one that is
 * read, a piece. */
export const storeCallMs = 10_000;
/** Files in one question of a listing. */
export const listedAtOnceMax = 500;
/** Connections that one process holds to a store. */
export const storeConnectionsMax = 32;
/** A file is kept in pieces of this size in GridFS. */
export const chunkBytesMax = 1024 * 1024;
/** What is read of a file at a time, from any store: as much as this a reader holds in memory. */
export const pieceBytesMax = 1024 * 1024;
/** The same from the disk, which answers sooner than the smallest of these is sent. */
export const diskPieceBytes = 128 * 1024;
/** Before what another writer was in the way of is tried again: up to this long, at random. */
export const retryPauseMsMax = 50;

/** Of an EXIF block, so many entries are looked at. */
export const exifEntriesMax = 1_000;
/** A longer notice of copyright is not kept. */
export const copyrightBytesMax = 1_000;
/** Items, and pieces of them, that an AVIF may have. */
export const avifItemsMax = 1_000;
export const avifExtentsMax = 2_000;
