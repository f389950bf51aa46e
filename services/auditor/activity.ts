import { type ActivitySelection, parseActivityFilters } from '@waymark/history/reading/activity-filters.ts';
import type { Handler } from '@waymark/http/call.ts';
import { invalidFields } from '@waymark/http/errors.ts';
import { activityCursor, activityPlaceOf, queryOf } from './cursors.ts';
import type { AuditorOptions } from './options.ts';
import { answerOf } from './replies.ts';

/** Returns the handler that reads what happened in an account. Links repeat the filters of the request. */
export const activity =
  (options: AuditorOptions): Handler =>
  async (call) => {
    const { ask, base, seals } = options;
    const { account } = call.access;
    const query = queryOf(call.url);
    const place = activityPlaceOf(query, account, seals);
    const reply = await ask({ type: 'activity', account, base, ...place, ...filtersIn(query, options) });
    return answerOf(reply, (before) => {
      query.set('cursor', activityCursor(account, { ...place, before }, seals));
      return `${base}/audit/v1/activity?${query}`;
    });
  };

/** Returns the filters that a query asks for.
 * @throws HttpError 400 with all faults */
export const filtersIn = (query: URLSearchParams, { storedRequestIds }: Pick<AuditorOptions, 'storedRequestIds'>): ActivitySelection => {
  const parsed = parseActivityFilters({ read: (name) => query.get(name), storedRequestIds });
  if (!('faults' in parsed)) return parsed;
  throw invalidFields(Object.fromEntries(Object.entries(parsed.faults).map(([name, fault]) => [name, [fault]])));
};
