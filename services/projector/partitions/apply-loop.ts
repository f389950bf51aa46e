import { NewerEvent } from '@waymark/domain/event-types.ts';
import { ReadModelsUnavailable } from '@waymark/read-models/read-models.ts';
import { slowMs, standingRetryMs, togetherFailuresMax, transactionCharactersMax, transactionEventsMax } from '../limits.ts';
import { createLogThrottle } from '../log-throttle.ts';
import type { Step } from '../ports.ts';
import { type Backoff, createBackoff } from './backoff.ts';
import { isIdle, type PartitionState, type Plan, plan, type Room, readFromLogInstead, settle } from './partition-state.ts';
import type { Work } from './work.ts';

/** The outcome of a transaction. */
type Outcome = 'applied' | 'conflict' | Failure;
type Failure = {
  readonly error: Error;
  /** Whether the transaction itself may be the cause, because it contains too much. */
  readonly isOurs: boolean;
};

type State = {
  readonly work: Work;
  readonly pauses: Backoff;
  /** Whether the position of each partition is the one that the read models returned, or that this loop wrote. */
  known: boolean;
  /** The number of transactions of several partitions that failed in a row. */
  failedTogether: number;
  /** The index of the partition that comes first in this round. */
  turn: number;
  readonly tell: (error: unknown) => void;
};

/** Creates the only loop that writes. It takes all waiting records and applies them for all partitions in one transaction. Every failure is
 * retried, after the positions are read again. No record is ever skipped. */
export const createApplyLoop = async (work: Work): Promise<void> => {
  const generation = work.generation.name;
  const tell = createLogThrottle((error) => work.logger.warn({ err: error, generation }, 'the read models cannot be written; retrying'));
  const state: State = { work, pauses: createBackoff(work.signal), known: false, failedTogether: 0, turn: 0, tell };
  while (!work.signal.aborted) {
    const arrival = work.arrived.rung();
    const moved = await round(state);
    work.moved.ring();
    if (!moved && !work.signal.aborted) await arrival;
  }
};

/** Runs one round of the loop.
 * @returns false if there is nothing to do now */
const round = async (state: State): Promise<boolean> => {
  const { work, pauses } = state;
  try {
    if (!state.known) await askPositions(state);
    if (work.signal.aborted) return true;
    const plans = planAll(state);
    if (work.signal.aborted) return true;
    const judged = await judgeForeign(state.work, plans);
    const done = plans.filter(({ taken }) => taken.length > 0);
    for (const idle of done.filter(({ step }) => step === undefined)) commit(work, [idle]);
    const toWrite = done.filter(({ step }) => step !== undefined);
    await write(state, toWrite);
    return done.length > 0 || judged;
  } catch (error) {
    state.tell(error);
    state.known = false;
    work.figures.totals.failures += 1;
    await pauses.pause();
    return true;
  }
};

const askPositions = async (state: State): Promise<void> => {
  const { lanes, generation, end } = state.work;
  const positions = await generation.positions();
  for (const lane of lanes) {
    const stands = positions[lane.partition];
    if (stands === undefined) return end('lost');
    lane.stands = stands;
  }
  state.known = true;
};

/** Plans the work of each partition. Partitions that share a transaction share its room, and another one is first each time. */
const planAll = (state: State): Plan[] => {
  const { lanes } = state.work;
  state.turn = (state.turn + 1) % lanes.length;
  const together = newRoom();
  const plans: Plan[] = [];
  for (const lane of [...lanes.slice(state.turn), ...lanes.slice(0, state.turn)]) {
    if (lane.stands === undefined || isIdle(lane) || (lane.standing && lane.standing.retryAtMs > performance.now())) continue;
    const planned = plan(lane, lane.stands, lane.alone ? newRoom() : together);
    if (planned.stop === 'outdated' || planned.stop === 'diverged') state.work.end(planned.stop);
    plans.push(planned);
  }
  return plans;
};

const newRoom = (): Room => ({ events: transactionEventsMax, characters: transactionCharactersMax });

/** Reads the incarnation of the log if a record comes from another log than the read models. All records received before that can then be
 * classified.
 * @returns whether there was such a record */
const judgeForeign = async ({ log }: Work, plans: readonly Plan[]): Promise<boolean> => {
  const received = plans.filter(({ stop }) => stop === 'foreign').flatMap(({ lane }) => [...lane.waiting]);
  if (received.length === 0) return false;
  const { incarnation } = await log.state();
  for (const waiting of received) waiting.log = incarnation;
  return true;
};

const write = async (state: State, plans: readonly Plan[]): Promise<void> => {
  const together = plans.filter(({ lane }) => !lane.alone);
  if (together.length > 0) await writeTogether(state, together);
  for (const single of plans.filter(({ lane }) => lane.alone)) {
    if (state.work.signal.aborted || !(await writeAlone(state, single))) return;
  }
};

const writeTogether = async (state: State, plans: readonly Plan[]): Promise<void> => {
  const outcome = await attempt(state, plans);
  if (outcome === 'applied') {
    state.failedTogether = 0;
    return;
  }
  state.failedTogether += 1;
  const isOurs = outcome !== 'conflict' && outcome.isOurs;
  if (isOurs || state.failedTogether >= togetherFailuresMax) {
    for (const { lane } of plans) lane.alone = true;
    state.failedTogether = 0;
  }
  if (outcome !== 'conflict' && isAway(outcome)) await state.pauses.pause();
};

const isAway = ({ error }: Failure): boolean => error instanceof ReadModelsUnavailable;

/** Applies the plan of one partition in a transaction of its own.
 * @returns false if nothing more can be tried now */
const writeAlone = async (state: State, single: Plan): Promise<boolean> => {
  const { lane, taken } = single;
  const outcome = await attempt(state, [single]);
  if (outcome === 'conflict') return true;
  if (outcome === 'applied') {
    if (lane.standing) state.work.logger.info({ partition: lane.partition }, 'the partition continues');
    lane.standing = undefined;
    lane.recordsMax = Math.min(lane.recordsMax * 2, transactionEventsMax);
    lane.alone = lane.recordsMax < transactionEventsMax;
    return true;
  }
  const records = taken.filter(({ verdict }) => verdict === 'next').length;
  if (outcome.isOurs && records > 1) lane.recordsMax = Math.ceil(records / 2);
  if (isAway(outcome)) {
    await state.pauses.pause();
    return false;
  }
  if (records <= 1) stand(state.work, lane, outcome.error);
  return true;
};

/** Blocks the partition of an event that cannot be projected, and logs it at each retry. */
const stand = ({ logger, generation, arrived }: Work, lane: PartitionState, error: Error): void => {
  const now = performance.now();
  const { partition } = lane;
  const position = lane.stands?.position ?? 0;
  lane.standing = { error, position, sinceMs: lane.standing?.sinceMs ?? now, retryAtMs: now + standingRetryMs };
  readFromLogInstead(lane);
  setTimeout(arrived.ring, standingRetryMs + 1).unref();
  const what = error instanceof NewerEvent ? 'a newer release is needed' : 'an event cannot be projected';
  logger.error({ err: error, generation: generation.name, partition, position }, `${what}: the partition is blocked`);
};

const attempt = async (state: State, plans: readonly Plan[]): Promise<Outcome> => {
  const { generation, figures } = state.work;
  const steps = plans.flatMap(({ step }): readonly Step[] => (step ? [step] : []));
  const startedMs = performance.now();
  try {
    if (await generation.applyTogether(steps)) {
      figures.totals.batches += 1;
      state.pauses.wentWell();
      commit(state.work, plans);
      return 'applied';
    }
    figures.totals.conflicts += 1;
    state.known = false;
    return 'conflict';
  } catch (error) {
    figures.totals.failures += 1;
    state.known = false;
    if (error instanceof ReadModelsUnavailable) state.tell(error);
    const isOurs = !(error instanceof ReadModelsUnavailable) || performance.now() - startedMs > slowMs;
    return { error: error instanceof Error ? error : new Error(String(error)), isOurs };
  }
};

const commit = ({ announce, generation, figures }: Work, plans: readonly Plan[]): void => {
  const nowMs = Date.now();
  for (const done of plans) {
    settle(done);
    figures.applied(done, nowMs);
  }
  const announcements = plans.flatMap(({ step }) => (step ? [{ generation: generation.name, ...placeOf(step) }] : []));
  if (announcements.length > 0) announce(announcements);
};

const placeOf = ({ partition, to }: Step) => ({ partition, position: to.position });
