import { readlinkSync } from 'node:fs';
import { constants, getPriority, platform, setPriority } from 'node:os';

/** What is added to the nice value of a background thread. While it and another thread both want to run, Linux gives it a third of the other's time. */
const backgroundNiceness = 5;

/** Lets the other threads of the process go before the present thread where they compete for processors. Only Linux knows threads by ids of their
 * own; elsewhere, and where a sandbox forbids it, the thread keeps its priority. */
export const runInBackground = (): void => {
  if (platform() !== 'linux') return;
  try {
    const [ofProcess, , ofThread = 0] = readlinkSync('/proc/thread-self').split('/').map(Number);
    // In a container with the host's /proc, these are not the ids that the system calls take.
    if (ofProcess === process.pid)
      setPriority(ofThread, Math.min(getPriority(ofThread) + backgroundNiceness, constants.priority.PRIORITY_LOW));
  } catch {
    // The thread does the same work with its usual priority.
  }
};
