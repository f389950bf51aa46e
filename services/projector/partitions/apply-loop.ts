import { setTimeout as pause } from 'node:timers/promises';
import { createClockAlarm } from '@waymark/cluster-runtime/clock-watch.ts';
import { createLogThrottle } from '@waymark/cluster-runtime/log-throttle.ts';
import { NewerEvent } from '@waymark/domain/event-types.ts';
import { ReadModelsUnavailable, TransactionTooLarge } from '@waymark/read-models/read-models.ts';
import { type BackOff, createBackOff } from '@waymark/timing/back-off.ts';
import { blockedRetryMs, failurePauses, slowMs, togetherFailuresMax, transactionCharactersMax, transactionEventsMax } from '../limits.ts';
import type { Step } from '../ports.ts';
import { completePlan, isIdle, needsLog, type PartitionState, type Plan, plan, type Room, readFromLogInstead } from './partition-state.ts';
import type { ProjectionContext } from './projection-context.ts';
import { type Round, restAfter } from './rest.ts';

/** The outcome of a transaction. */
type Outcome = 'applied' | 'conflict' | Failure;
type Failure = {
  readonly error: Error;
  /** Whether the transaction itself may be the cause, because it contains too much. */
  readonly mayBeTooLarge: boolean;
};

type State = {
  readonly context: ProjectionContext;
  readonly pauses: BackOff;
  /** Whether the position of each partition is the one that the read models returned, or that this loop wrote. */
  arePositionsKnown: boolean;
  /** The number of transactions of several partitions that failed in a row. */
  failedTogether: number;
  /** The index of the partition that comes first in this round. */
  firstPartition: number;
  readonly logFailure: (error: unknown) => void;
  /** Logs that the clock of this process is behind the time of an event. */
  readonly logClock: (behindMs: number) => void;
};

/** Creates the only loop that writes. It takes all waiting records and applies them for all partitions in one transaction. Every failure is
 * retried, after the positions are read again. No record is ever skipped. */
export const createApplyLoop = async (context: ProjectionContext): Promise<void> => {
  const generation = context.generation.name;
  const logFailure = createLogThrottle((error) =>
    context.logger.warn({ err: error, generation }, 'the read models cannot be written; retrying'),
  );
  const logClock = createClockAlarm(context.logger);
  const state: State = {
    context,
    pauses: createBackOff(failurePauses, context.signal),
    arePositionsKnown: false,
    failedTogether: 0,
    firstPartition: 0,
    logFailure,
    logClock,
  };
  while (!context.signal.aborted) {
    const arrival = context.workSignal.next();
    const startedMs = performance.now();
    const events = await runRound(state);
    context.roundSignal.wake();
    if (events !== undefined) await rest(context, { events, tookMs: performance.now() - startedMs });
    else if (!context.signal.aborted) await arrival;
  }
};

const rest = async (
  { partitionStates, roundEveryMs, signal }: ProjectionContext,
  round: Pick<Round, 'events' | 'tookMs'>,
): Promise<void> => {
  const ms = restAfter({ ...round, isCatchingUp: partitionStates.some(needsLog) }, roundEveryMs);
  if (ms > 0) await pause(ms, undefined, { signal }).catch(() => undefined);
};

/** Runs one round of the loop.
 * @returns the number of events that it tried to apply; undefined if there is nothing to do now */
const runRound = async (state: State): Promise<number | undefined> => {
  const { context, pauses } = state;
  try {
    if (!state.arePositionsKnown) await readPositions(state);
    if (context.signal.aborted) return 0;
    const plans = planAll(state);
    if (context.signal.aborted) return 0;
    const judged = await resolveForeign(state.context, plans);
    const done = plans.filter(({ taken }) => taken.length > 0);
    for (const idle of done.filter(({ step }) => step === undefined)) commit(state, [idle]);
    const toWrite = done.filter(({ step }) => step !== undefined);
    await write(state, toWrite);
    return done.length > 0 || judged ? eventsOf(toWrite) : undefined;
  } catch (error) {
    state.logFailure(error);
    state.arePositionsKnown = false;
    context.stats.totals.failures += 1;
    await pauses.pause();
    return 0;
  }
};

const eventsOf = (plans: readonly Plan[]): number => plans.reduce((sum, { step }) => sum + (step?.events.length ?? 0), 0);

const readPositions = async (state: State): Promise<void> => {
  const { partitionStates, generation, end } = state.context;
  const positions = await generation.positions();
  for (const partitionState of partitionStates) {
    const reached = positions[partitionState.partition];
    if (reached === undefined) return end('lost');
    partitionState.reached = reached;
  }
  state.arePositionsKnown = true;
};

/** Plans the work of each partition. Partitions that share a transaction share its room, and another one is first each time. */
const planAll = (state: State): Plan[] => {
  const { partitionStates } = state.context;
  state.firstPartition = (state.firstPartition + 1) % partitionStates.length;
  const together = newRoom();
  const plans: Plan[] = [];
  for (const partitionState of [...partitionStates.slice(state.firstPartition), ...partitionStates.slice(0, state.firstPartition)]) {
    if (
      partitionState.reached === undefined ||
      isIdle(partitionState) ||
      (partitionState.blocked && partitionState.blocked.retryAtMs > performance.now())
    )
      continue;
    const planned = plan(partitionState, partitionState.reached, partitionState.hasOwnTransaction ? newRoom() : together);
    if (planned.blockedBy === 'outdated' || planned.blockedBy === 'diverged') state.context.end(planned.blockedBy);
    plans.push(planned);
  }
  return plans;
};

const newRoom = (): Room => ({ events: transactionEventsMax, characters: transactionCharactersMax });

/** Reads the incarnation of the log if a record comes from another log than the read models. All records received before that can then be
 * classified.
 * @returns whether there was such a record */
const resolveForeign = async ({ log }: ProjectionContext, plans: readonly Plan[]): Promise<boolean> => {
  const received = plans.filter(({ blockedBy }) => blockedBy === 'foreign').flatMap(({ partitionState }) => [...partitionState.waiting]);
  if (received.length === 0) return false;
  const { incarnation } = await log.state();
  for (const waiting of received) waiting.log = incarnation;
  return true;
};

const write = async (state: State, plans: readonly Plan[]): Promise<void> => {
  const together = plans.filter(({ partitionState }) => !partitionState.hasOwnTransaction);
  if (together.length > 0) await writeTogether(state, together);
  for (const single of plans.filter(({ partitionState }) => partitionState.hasOwnTransaction)) {
    if (state.context.signal.aborted || !(await writeAlone(state, single))) return;
  }
};

const writeTogether = async (state: State, plans: readonly Plan[]): Promise<void> => {
  const outcome = await attempt(state, plans);
  if (outcome === 'applied') {
    state.failedTogether = 0;
    return;
  }
  state.failedTogether += 1;
  const mayBeTooLarge = outcome !== 'conflict' && outcome.mayBeTooLarge;
  if (mayBeTooLarge || state.failedTogether >= togetherFailuresMax) {
    for (const { partitionState } of plans) partitionState.hasOwnTransaction = true;
    state.failedTogether = 0;
  }
  if (outcome !== 'conflict' && isUnavailable(outcome.error)) await state.pauses.pause();
};

/** Whether the same transaction may succeed later. */
const isUnavailable = (error: Error): boolean => error instanceof ReadModelsUnavailable && !(error instanceof TransactionTooLarge);

/** Applies the plan of one partition in a transaction of its own.
 * @returns false if nothing more can be tried now */
const writeAlone = async (state: State, single: Plan): Promise<boolean> => {
  const { partitionState, taken } = single;
  const outcome = await attempt(state, [single]);
  if (outcome === 'conflict') return true;
  if (outcome === 'applied') {
    if (partitionState.blocked) state.context.logger.info({ partition: partitionState.partition }, 'the partition continues');
    partitionState.blocked = undefined;
    partitionState.recordsMax = Math.min(partitionState.recordsMax * 2, transactionEventsMax);
    partitionState.hasOwnTransaction = partitionState.recordsMax < transactionEventsMax;
    return true;
  }
  const records = taken.filter(({ verdict }) => verdict === 'next').length;
  if (outcome.mayBeTooLarge && records > 1) partitionState.recordsMax = Math.ceil(records / 2);
  if (isUnavailable(outcome.error)) {
    await state.pauses.pause();
    return false;
  }
  if (records <= 1) blockPartition(state.context, partitionState, outcome.error);
  return true;
};

/** Blocks the partition of an event that cannot be projected, and logs it at each retry. */
const blockPartition = ({ logger, generation, workSignal }: ProjectionContext, partitionState: PartitionState, error: Error): void => {
  const now = performance.now();
  const { partition } = partitionState;
  const position = partitionState.reached?.position ?? 0;
  partitionState.blocked = { error, position, sinceMs: partitionState.blocked?.sinceMs ?? now, retryAtMs: now + blockedRetryMs };
  readFromLogInstead(partitionState);
  setTimeout(workSignal.wake, blockedRetryMs + 1).unref();
  const what = error instanceof NewerEvent ? 'a newer release is needed' : 'an event cannot be projected';
  logger.error({ err: error, generation: generation.name, partition, position }, `${what}: the partition is blocked`);
};

const attempt = async (state: State, plans: readonly Plan[]): Promise<Outcome> => {
  const { generation, stats } = state.context;
  const steps = plans.flatMap(({ step }): readonly Step[] => (step ? [step] : []));
  const startedMs = performance.now();
  try {
    if (await generation.applyTogether(steps)) {
      stats.totals.batches += 1;
      state.pauses.reset();
      commit(state, plans);
      return 'applied';
    }
    stats.totals.conflicts += 1;
    state.arePositionsKnown = false;
    return 'conflict';
  } catch (error) {
    stats.totals.failures += 1;
    state.arePositionsKnown = false;
    if (error instanceof ReadModelsUnavailable) state.logFailure(error);
    const failure = error instanceof Error ? error : new Error(String(error));
    return { error: failure, mayBeTooLarge: !isUnavailable(failure) || performance.now() - startedMs > slowMs };
  }
};

const commit = ({ context, logClock }: Pick<State, 'context' | 'logClock'>, plans: readonly Plan[]): void => {
  const { announce, generation, stats } = context;
  const nowMs = Date.now();
  for (const done of plans) {
    completePlan(done);
    logClock(stats.applied(done, nowMs));
  }
  const announcements = plans.flatMap(({ step }) => (step ? [{ generation: generation.name, ...placeOf(step) }] : []));
  if (announcements.length > 0) announce(announcements);
};

const placeOf = ({ partition, to }: Step) => ({ partition, position: to.position });
