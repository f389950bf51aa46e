import type { Handler } from '@waymark/http/call.ts';
import { invalidFields } from '@waymark/http/errors.ts';
import { filterOf, limitOf } from '@waymark/http/paging/paging.ts';
import { type ChangesPlace, changesCursor, changesPlaceOf, queryOf } from './cursors.ts';
import type { AuditorOptions } from './options.ts';
import { answerOf } from './replies.ts';

/** Returns the handler that compares an account, or a list, at two moments. The first page finds the positions of the moments; its links keep
 * them. */
export const changes =
  ({ ask, base, seals }: AuditorOptions): Handler =>
  async (call) => {
    const { account } = call.access;
    const query = queryOf(call.url);
    const place = changesPlaceOf(query, account, seals) ?? firstPageOf(query);
    const reply = await ask({ type: 'changes', account, base, ...place });
    if (reply.outcome !== 'changes-page') return answerOf(reply);
    const { from, to } = reply;
    return answerOf(
      reply,
      undefined,
      (after) => `${base}/audit/v1/changes?cursor=${changesCursor(account, { ...place, from, to, after }, seals)}`,
    );
  };

/** Returns the first page that a query asks for.
 * @throws HttpError 400 */
const firstPageOf = (query: URLSearchParams): ChangesPlace => {
  const [from, to] = [query.get('from'), query.get('to')];
  const list = filterOf('list', query);
  if (from !== null && to !== null) return { from, to, list, after: null, limit: limitOf(query.get('limit')) };
  const message = ['Enter a moment: the id of an event, or a time like 2026-06-01T08:00:00.000Z.'];
  throw invalidFields({ ...(from === null ? { from: message } : {}), ...(to === null ? { to: message } : {}) });
};
