import { undoDecider } from '@waymark/domain/undo/decide.ts';
import { appendOnce, appendShared } from '@waymark/event-log/append-once.ts';
import type { UndoScope } from '@waymark/history/reading/undo/undo-questions.ts';
import { sealUndoEvent, streamOfJob, type UndoStarted } from '@waymark/history/undo-jobs/stored-jobs.ts';
import { invalidFields, unavailable } from '@waymark/http/errors.ts';
import type { Claim } from '../../idempotency/idempotency.ts';
import type { Commands } from '../../service.ts';
import { accountJobsMax, emptyPartsMax, openJobsMax, spanMsMax } from './limits.ts';

export type UndoOrder = Pick<UndoStarted, 'account' | 'correlation' | 'application' | 'from' | 'to'> & { readonly isDryRun: boolean };

/** The number in claims of jobs, which have no number. */
const unnumbered = 0;

/** Starts a job, once for all runs of its request.
 * @returns the id of the job
 * @throws HttpError 400, 503; HistoryUnavailable, LogUnavailable, AppendUndecided */
export const startUndoJob = async (commands: Commands, claim: Claim, { isDryRun, ...order }: UndoOrder): Promise<string> => {
  // A claim keeps the id of the event for a repeat, and has no room for another UUID.
  const id = claim.event;
  const stream = streamOfJob(id, isDryRun);
  const { log } = commands;
  const [last] = await log.lastRevisions([stream]);
  if (last === 'none') {
    await requireRoom(commands, order.account);
    const through = await throughOf(commands, order);
    const decision = undoDecider.decide(undoDecider.initial, { type: 'StartUndo', undo: id, ...order, through });
    if (decision.outcome === 'refused') throw unavailable('The id was taken meanwhile.');
    await claim.key?.take(unnumbered, 'none');
    // Listed first: a job that has started is never forgotten.
    await commands.openUndos.list(id, order.account, false);
    const events = decision.events.map((fact) => sealUndoEvent(fact, { id, account: order.account, origin: claim.origin, isDryRun }));
    await (claim.key ? appendShared : appendOnce)(log, stream, events, 'none');
  }
  commands.undoStarted();
  return id;
};

/** @throws HttpError 503 */
const requireRoom = async ({ openUndos }: Commands, account: string): Promise<void> => {
  await openUndos.update();
  const open = [...openUndos.jobs.values()];
  const isFull = open.length >= openJobsMax || open.filter((job) => job.account === account).length >= accountJobsMax;
  if (isFull) throw unavailable('Too many undo jobs have not ended.');
};

/** Returns the id of the last event that a job takes into account. */
const throughOf = async (commands: Commands, { account, correlation, from, to }: Omit<UndoOrder, 'isDryRun'>): Promise<string> => {
  const reply = await commands.askHistory({ type: 'place-of-event', account, event: null });
  if (reply.outcome !== 'place-of-event' || reply.place === undefined) throw unavailable('The history of the account is not complete yet.');
  const isLimited = from !== null && to !== null;
  if (correlation !== null && !isLimited && (await isLong(commands, account, correlation, reply.place.position))) throw needsSpan();
  return reply.place.event;
};

const needsSpan = () => {
  const text = 'The changes of this correlation are more than 24 hours apart: name a span of time.';
  return invalidFields({ from: [text], to: [text] });
};

/** Returns whether changes of a correlation are further apart than a job may undo without a span of time. */
const isLong = async (commands: Commands, account: string, correlation: string, through: number): Promise<boolean> => {
  const scope: UndoScope = { correlation, application: null, sinceMs: 0, untilMs: null, through };
  const last = await lastTimeIn(commands, account, scope);
  if (last === undefined) return false;
  return (await lastTimeIn(commands, account, { ...scope, untilMs: Date.parse(last) - spanMsMax - 1 })) !== undefined;
};

/** Returns the time of the last change in a scope. */
const lastTimeIn = async ({ askHistory }: Commands, account: string, scope: UndoScope): Promise<string | undefined> => {
  let before = scope.through + 1;
  for (let parts = 0; parts < emptyPartsMax; parts += 1) {
    const reply = await askHistory({ type: 'undo-scope', account, scope, before, limit: 1 });
    if (reply.outcome !== 'undo-scope') return undefined;
    const [change] = reply.changes;
    if (change !== undefined || reply.next === null) return change?.time;
    before = reply.next;
  }
  return undefined;
};
