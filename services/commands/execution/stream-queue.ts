import { batchIdsMax, batchRequestsMax, turnMs, waitersPerStreamMax } from '../limits.ts';

/** Runs the jobs of one stream. Settles each of them, and never rejects.
 * @param left the result of the batch before, undefined for the first batch
 * @returns a result for the next batch of the stream, if jobs wait for it */
export type RunBatch<Job, Left> = (stream: string, jobs: readonly Job[], left: Left | undefined) => Promise<Left | undefined>;

export type StreamQueueOptions<Job, Left> = {
  readonly run: RunBatch<Job, Left>;
  /** The number of ids that a job adds to the limit of a batch. */
  readonly idsOf: (job: Job) => number;
  /** Refuses a job that was not started: too many wait, or its turn did not come in time. */
  readonly refuse: (job: Job) => void;
  readonly withinMs?: number;
};

type Waiting<Job> = { readonly job: Job; readonly timer: NodeJS.Timeout };

/** Creates a queue for each stream. A job for an idle stream runs at once. The jobs that arrive while it runs form the next batch. Jobs for
 * different streams run concurrently. */
export const createStreamQueue = <Job, Left>({ run, idsOf, refuse, withinMs = turnMs }: StreamQueueOptions<Job, Left>) => {
  const queues = new Map<string, Waiting<Job>[]>();

  const work = async (stream: string, queue: Waiting<Job>[], first: Job): Promise<void> => {
    let left = await run(stream, [first], undefined);
    while (queue.length > 0) left = await run(stream, nextBatch(queue, idsOf), left);
    queues.delete(stream);
  };

  return (stream: string, job: Job): void => {
    const queue = queues.get(stream);
    if (queue === undefined) {
      const own: Waiting<Job>[] = [];
      queues.set(stream, own);
      void work(stream, own, job);
    } else if (queue.length >= waitersPerStreamMax) {
      refuse(job);
    } else {
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(waiting), 1);
        refuse(job);
      }, withinMs);
      const waiting = { job, timer };
      queue.push(waiting);
    }
  };
};

/** Takes the first jobs of a queue: at most `batchRequestsMax`, with at most `batchIdsMax` ids, and at least one. */
const nextBatch = <Job>(queue: Waiting<Job>[], idsOf: (job: Job) => number): readonly Job[] => {
  let ids = 0;
  const beyond = queue.findIndex(({ job }, nth) => {
    ids += idsOf(job);
    return nth > 0 && (nth >= batchRequestsMax || ids > batchIdsMax);
  });
  const batch = queue.splice(0, beyond === -1 ? queue.length : beyond);
  for (const { timer } of batch) clearTimeout(timer);
  return batch.map(({ job }) => job);
};
