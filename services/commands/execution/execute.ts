import type { AggregateTypes } from '@waymark/domain/decider.ts';
import { resourceStream } from '@waymark/domain/streams.ts';
import { outcomeSoFar } from '../idempotency/outcomes.ts';
import { turnMs } from '../limits.ts';
import type { Aggregate } from './aggregates.ts';
import { attemptBatch } from './batch.ts';
import type { ChangeResult, Execute } from './change-request.ts';
import { commonResult } from './common-result.ts';
import type { ExecutionPorts } from './decide-in-turn.ts';
import { type Job, type Left, tooManyChanges } from './job.ts';
import { load } from './load.ts';
import { createStreamQueue } from './stream-queue.ts';

/** Creates the execution of change requests for one kind of object. Requests that wait for the same object are decided together, and
 * appended in one write. After a conflict they are decided again, for `turnMs` at most. */
export const createExecute = <Of extends AggregateTypes>(ports: ExecutionPorts, aggregate: Aggregate<Of>): Execute<Of> => {
  const enqueue = createStreamQueue<Job<Of>, Left<Of>>({
    run: (stream, jobs, left) => runBatch(ports, aggregate, stream, jobs, left),
    idsOf: ({ request }) => request.members?.length ?? 0,
    refuse: (job) => job.reject(tooManyChanges()),
  });
  return (request) => {
    const { promise, resolve, reject } = Promise.withResolvers<ChangeResult<Of>>();
    enqueue(resourceStream(aggregate.kind, request.id), { request, untilMs: performance.now() + turnMs, resolve, reject });
    return promise;
  };
};

const runBatch = async <Of extends AggregateTypes>(
  ports: ExecutionPorts,
  aggregate: Aggregate<Of>,
  stream: string,
  jobs: readonly Job<Of>[],
  before: Left<Of> | undefined,
): Promise<Left<Of> | undefined> => {
  let left = before;
  let waiting = jobs;
  let fresh = false;
  const untilMs = performance.now() + turnMs;
  try {
    while (waiting.length > 0 && !(fresh && performance.now() > untilMs)) {
      const attempt = await attemptBatch(ports, aggregate, { stream, jobs: waiting, left, fresh });
      if (attempt.conflict) fresh = true;
      ({ waiting, left } = attempt);
    }
    for (const job of waiting) await giveUp(ports, aggregate, stream, job);
    return left;
  } catch (error) {
    for (const job of waiting) job.reject(error);
    return undefined;
  }
};

/** Ends a request whose appends have all conflicted: with the result of another run of it, or with 503. */
const giveUp = async <Of extends AggregateTypes>(
  { log, models }: ExecutionPorts,
  aggregate: Aggregate<Of>,
  stream: string,
  { request, resolve, reject }: Job<Of>,
): Promise<void> => {
  const { state } = await load({ log, models }, aggregate, request.id);
  const outcome = await outcomeSoFar(log, stream, request.claim);
  if (outcome) resolve(await commonResult(log, stream, aggregate, state, outcome));
  else reject(tooManyChanges());
};
