import { setImmediate as nextTurn } from 'node:timers/promises';

/** Keeps this process from doing anything for some time, once the requests of this turn have left: as if it were paused, or got no processor. */
export const pauseProcess = async (ms: number): Promise<void> => {
  await nextTurn();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};
