/** Every limit of the media store on disk and of the inspection of images, in one place. */

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
