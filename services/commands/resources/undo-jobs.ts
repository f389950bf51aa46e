import { isUuid } from '@waymark/domain/uuid.ts';
import { parseUndoJob } from '@waymark/http/api/schemas/undo.ts';
import type { Answer, Call, Routes } from '@waymark/http/call.ts';
import type { FieldErrors } from '@waymark/http/errors.ts';
import { readJson } from '@waymark/http/request/body.ts';
import { plainBody } from '@waymark/http/request/request-body.ts';
import { type Parsed, requireValid } from '@waymark/http/request/validation.ts';
import type { Commands } from '../service.ts';
import { startUndoJob, type UndoOrder } from '../undo/jobs/start-job.ts';

/** POST of jobs that undo many changes. */
export const undoJobRoutes = (commands: Commands): Routes => ({
  'POST /audit/v1/undos': (call) => start(commands, call),
});

const start = async (commands: Commands, call: Call): Promise<Answer> => {
  const body = await readJson(call, plainBody);
  return commands.once({ call, path: '/audit/v1/undos', body, mayBeNoOp: false }, async (claim) => {
    const order = orderIn(body.json, call.access.account);
    const id = await startUndoJob(commands, claim, order);
    const { correlation, application, from, to, isDryRun } = order;
    const job = { id, status: 'running', reason: null, dry_run: isDryRun, correlation, application, from, to };
    const text = JSON.stringify({ ...job, progress: { objects: null, done: 0 }, report: null });
    return { status: 202, body: text, headers: { 'Cache-Control': 'no-store' } };
  });
};

/** @throws HttpError 400 */
const orderIn = (json: unknown, account: string): UndoOrder => {
  const parsed = parseUndoJob(json);
  const { correlation = null, application = null, from = null, to = null } = parsed.valid;
  const body = requireValid(parsed, faultsIn(parsed));
  // The history has UUIDs in lower case.
  const stored = correlation !== null && isUuid(correlation) ? correlation.toLowerCase() : correlation;
  return { account, correlation: stored, application, from, to, isDryRun: body.dry_run };
};

type Scope = Partial<Record<'correlation' | 'application' | 'from' | 'to', string | null>>;

/** Returns the faults of the fields together. A field that was sent with a fault of its own has that fault only. */
const faultsIn = ({ valid: { correlation, application, from, to }, errors }: Parsed<Scope>): FieldErrors => {
  const sent = { correlation, application, from, to };
  const isSent = (field: keyof Scope): boolean => typeof sent[field] === 'string' || Object.hasOwn(errors, field);
  if (isSent('correlation') === isSent('application')) {
    return { non_field_errors: ['Enter a correlation or an application, and not both.'] };
  }
  const needed = ['This field is required.'];
  if (isSent('application') && !(isSent('from') && isSent('to'))) {
    return { ...(isSent('from') ? {} : { from: needed }), ...(isSent('to') ? {} : { to: needed }) };
  }
  return from && to && from > to ? { from: ['Enter a time that is not after the other one.'] } : {};
};
