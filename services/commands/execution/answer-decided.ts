import type { AggregateTypes } from '@waymark/domain/decider.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import type { KeyClaim } from '../idempotency/idempotency.ts';
import { type Outcome, unlessAppended, unlessNoOp } from '../idempotency/outcomes.ts';
import type { Aggregate } from './aggregates.ts';
import { commonResult } from './common-result.ts';
import type { Accepted, Decided } from './decide-in-turn.ts';
import type { Confirmed } from './job.ts';

/** Answers a decided request, once the log has confirmed the revision that it was decided on. With an idempotency key, the answer is the
 * common result of all runs of the request.
 * @param placed the end of the batch in the log: readers that have reached its position see the states that the batch has decided */
export const answerDecided = async <Of extends AggregateTypes>(
  log: EventLog,
  stream: string,
  aggregate: Aggregate<Of>,
  decided: Decided<Of>,
  placed: Confirmed,
): Promise<void> => {
  const { request, resolve, reject } = decided.job;
  if (decided.outcome === 'refused') return reject(decided.problem);
  const { state, revision, fact, notAdded } = decided;
  const { position } = placed;
  const { key } = request.claim;
  if (key === undefined) return resolve({ state, revision, position, fact, notAdded });
  try {
    const outcome = await outcomeOf(log, stream, key, decided, placed);
    const common = await commonResult(log, stream, aggregate, decided.before, outcome);
    resolve({ ...common, position: Math.max(common.position, position), notAdded: common.notAdded ?? notAdded });
  } catch (error) {
    reject(error);
  }
};

/** Returns the outcome that counts for all runs, after this run has appended its event or found nothing to do. */
const outcomeOf = async <Of extends AggregateTypes>(
  log: EventLog,
  stream: string,
  key: KeyClaim,
  { job: { request }, revision, notAdded }: Accepted<Of>,
  { present = [] }: Confirmed,
): Promise<Outcome> => {
  const event = present.find(({ envelope }) => envelope.id === request.claim.event);
  if (event) return unlessNoOp(key, event);
  const noOp = await key.storeNoOp(request.id, revision, notAdded ?? []);
  return unlessAppended(log, stream, request.claim.event, noOp);
};
