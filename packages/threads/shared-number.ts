/** A whole number of 32 bits that all threads of a process see, also where it is sent to a thread. It is used with `Atomics`, at index 0. */
export type SharedNumber = Int32Array<SharedArrayBuffer>;

/** Creates a number that is 0. */
export const sharedNumber = (): SharedNumber => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
