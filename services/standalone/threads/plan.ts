import { availableParallelism } from 'node:os';
import { canSharePorts } from '@waymark/http/server/shared-port.ts';
import { memoryBytesOf } from '@waymark/runtime/memory.ts';
import type { Logger } from 'pino';
import type { Settings } from '../settings.ts';
import {
  automaticThreadsMax,
  coresOfOthers,
  heapBytesMin,
  heapPart,
  historyBytes,
  sharedPartMin,
  threadBytes,
  youngBytesMax,
  youngBytesMin,
  youngPart,
} from './limits.ts';

type ThreadSettings = Pick<Settings, 'WAYMARK_HTTP_THREADS' | 'WAYMARK_HOST' | 'WAYMARK_MEMORY_MB'>;

/** Returns the number of HTTP threads beside the main thread that `auto` means on this machine. */
export const automaticThreads = (cores = availableParallelism()): number =>
  Math.max(0, Math.min(automaticThreadsMax, cores - coresOfOthers));

/** Returns the number of HTTP threads beside the main thread. */
const threadsOf = ({ WAYMARK_HTTP_THREADS: threads }: Pick<ThreadSettings, 'WAYMARK_HTTP_THREADS'>): number =>
  threads === 'auto' ? automaticThreads() : Number(threads);

/** Returns the number of HTTP threads that fit into a process's memory beside the part that budgets and caches share. */
export const fittingThreads = (memoryBytes: number): number =>
  Math.max(0, Math.floor((memoryBytes * (1 - sharedPartMin) - historyBytes) / threadBytes));

/** Returns the number of HTTP threads: at most those that fit into the memory, and 0 where the system does not let threads share a port. */
export const possibleThreads = async (
  settings: ThreadSettings,
  logger: Pick<Logger, 'warn'>,
  canShare = canSharePorts,
): Promise<number> => {
  const wanted = threadsOf(settings);
  const threads = Math.min(wanted, fittingThreads(memoryBytesOf(settings)));
  if (threads < wanted) logger.warn({ wanted, threads }, 'the memory of the process has no room for all threads (WAYMARK_MEMORY_MB)');
  if (threads === 0 || (await canShare(settings.WAYMARK_HOST))) return threads;
  logger.warn({ threads }, 'this system does not let threads share a port: the main thread alone answers requests');
  return 0;
};

/** How the threads of a process share its memory, in bytes. */
export type MemoryPlan = {
  /** What the budgets of the process take their shares of. */
  readonly processBytes: number;
  /** What the caches of one thread take their shares of. */
  readonly threadBytes: number;
  /** The most that the old objects of one HTTP thread may take. */
  readonly heapBytes: number;
  /** The most that the new objects of an HTTP thread, or of the history's, may take. */
  readonly youngBytes: number;
};

/** Plans the memory of a process with a number of HTTP threads beside the main thread. */
export const memoryPlan = (memoryBytes: number, threads: number): MemoryPlan => {
  const processBytes = Math.max(memoryBytes * sharedPartMin, memoryBytes - historyBytes - threads * threadBytes);
  return {
    processBytes,
    threadBytes: processBytes / (threads + 1),
    heapBytes: Math.max(heapBytesMin, memoryBytes * heapPart),
    youngBytes: Math.min(youngBytesMax, Math.max(youngBytesMin, memoryBytes * youngPart)),
  };
};
