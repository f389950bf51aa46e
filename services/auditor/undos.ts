import { isUuid } from '@waymark/domain/uuid.ts';
import { viewUndoJob } from '@waymark/history/undo-jobs/view.ts';
import type { Handler } from '@waymark/http/call.ts';
import { invalidPage, notFound } from '@waymark/http/errors.ts';
import { queryOf } from './cursors.ts';
import type { AuditorOptions } from './options.ts';

/** Returns the handler that reads an undo job with a page of its report, from the log. */
export const undos =
  ({ log, base }: AuditorOptions): Handler =>
  async (call) => {
    const { id = '' } = call.parameters;
    if (!isUuid(id)) throw notFound();
    const page = pageIn(queryOf(call.url).get('page'));
    const view = await viewUndoJob(log, call.access.account, id.toLowerCase(), page);
    if (view === undefined) throw page === 1 ? notFound() : invalidPage();
    const next = view.next === null ? null : `${base}/audit/v1/undos/${id.toLowerCase()}?page=${view.next}`;
    return { status: 200, body: JSON.stringify({ ...view.job, report: { ...view.report, next } }) };
  };

/** @throws HttpError 404 */
const pageIn = (text: string | null): number => {
  if (text === null) return 1;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw invalidPage();
  return Number(text);
};
