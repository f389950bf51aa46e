import { setTimeout as pause } from 'node:timers/promises';
import { type ResourceKind, resourceStream } from '@waymark/domain/streams.ts';
import { appendOnce, appendShared } from '@waymark/event-log/append-once.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import { sealFact } from '@waymark/event-log/seal.ts';
import type { UndoQuestion } from '@waymark/history/reading/undo/undo-questions.ts';
import type { Call } from '@waymark/http/call.ts';
import { keptAsItIs } from '@waymark/http/errors.ts';
import { tooManyChanges } from '../execution/job.ts';
import { unlessUnavailable } from '../execution/load.ts';
import type { Claim, KeyClaim } from '../idempotency/idempotency.ts';
import { type Outcome, outcomeSoFar, unlessAppended, unlessNoOp } from '../idempotency/outcomes.ts';
import { historyPauseMs, turnMs } from '../limits.ts';
import type { Commands } from '../service.ts';
import { confirmValues } from './confirm-values.ts';
import { decideSource } from './decide-source.ts';
import { reportOf } from './report.ts';
import { askSource } from './source.ts';

/** A request to restore a version of an object, or to undo a change of it. */
export type TakeBackRequest = {
  readonly call: Call;
  readonly claim: Claim;
  readonly kind: ResourceKind;
  readonly id: number;
  readonly question: UndoQuestion;
};

/** The event that took something back; null if nothing had to be changed. `position`: the one that readers must have reached to see it. */
export type TakenBack = { readonly event: string | null; readonly revision: number | null; readonly position: Position };

/** Restores a version, or undoes a change, with one event at the revision that the history has. While the history is behind the log, or others
 * change the object, it decides again, for `turnMs` at most.
 * @throws HttpError 403, 404, 409 with the report, 410, 503; HistoryUnavailable, LogUnavailable, AppendUndecided */
export const takeBack = async (commands: Commands, request: TakeBackRequest): Promise<TakenBack> => {
  const untilMs = performance.now() + turnMs;
  const stream = resourceStream(request.kind, request.id);
  for (;;) {
    const outcome = await outcomeSoFar(commands.log, stream, request.claim);
    if (outcome) return takenBack(commands, stream, outcome);
    const taken = await attempt(commands, request, stream);
    if (taken !== 'conflict') return taken;
    if (performance.now() > untilMs) throw tooManyChanges();
    await pause(historyPauseMs);
  }
};

const attempt = async (commands: Commands, request: TakeBackRequest, stream: string): Promise<TakenBack | 'conflict'> => {
  const { claim, kind, id, question } = request;
  const { account } = question;
  const source = await askSource(commands, question);
  // Another run may have appended the event since the last search: the search has to reach the revision that is decided on.
  const outcome = await outcomeSoFar(commands.log, stream, claim);
  if (outcome) return takenBack(commands, stream, outcome);
  await commands.owners?.confirm(stream, account);
  const decided = await decideSource(commands, { account, kind, id }, source);
  if (decided === 'conflict') return decided;
  const { kept, steps, position } = decided;
  if (kept.reason !== null) throw keptAsItIs(reportOf({ kind, id }, 'kept', { kept }));
  // A version that is restored, and a single change that is undone, are one event at most.
  const [{ fact } = { fact: undefined }] = steps;
  if (fact === undefined) return claim.key ? sharedNoOp(commands, stream, request, claim.key, source.last) : noChange(position);

  if (commands.owners) await confirmValues(commands.log, stream, fact, { origins: source.origins, undone: undoneBy(question) });
  const event = sealFact(fact, { id: claim.event, account, origin: claim.origin, cause: source.event });
  const document = kind === 'pinpoint' ? await unlessUnavailable(commands.models.find(kind, id), undefined) : undefined;
  const appended = await commands.inTurn(account, document, async () => {
    await claim.key?.take(id, source.last);
    return (claim.key ? appendShared : appendOnce)(commands.log, stream, [event], source.last);
  });
  if (appended.outcome === 'conflict') return 'conflict';
  const [present] = appended.outcome === 'found' ? appended.present : [];
  if (claim.key && present) return takenBack(commands, stream, await unlessNoOp(claim.key, present));
  return { event: claim.event, revision: appended.revision, position: appended.position };
};

const undoneBy = (question: UndoQuestion): readonly number[] => (question.type === 'undoable' ? question.revisions : []);

const noChange = (position: Position): TakenBack => ({ event: null, revision: null, position });

/** Stores for all runs of a request that there is nothing to do. */
const sharedNoOp = async (
  commands: Commands,
  stream: string,
  { claim, id }: TakeBackRequest,
  key: KeyClaim,
  revision: number,
): Promise<TakenBack> => {
  const noOp = await key.storeNoOp(id, revision, []);
  return takenBack(commands, stream, await unlessAppended(commands.log, stream, claim.event, noOp));
};

/** Returns the common result of all runs of a request. */
const takenBack = async ({ log }: Commands, stream: string, { event, noOp }: Outcome): Promise<TakenBack> => {
  if (event) return { event: event.envelope.id, revision: event.revision, position: event.position };
  const [last] = noOp.revision === 'none' ? [] : await log.read(stream, noOp.revision);
  return noChange(last?.position ?? 0);
};
