import type { ActivityFilter } from '@waymark/history/history.ts';
import { typesOfAction } from '@waymark/history/reading/actions.ts';
import { fieldNamed } from '@waymark/history/reading/api-values.ts';
import type { Handler } from '@waymark/http/call.ts';
import { type FieldErrors, invalidFields } from '@waymark/http/errors.ts';
import { isUuid } from '@waymark/http/uuid.ts';
import { activityCursor, activityPlaceOf, queryOf } from './cursors.ts';
import type { AuditorOptions } from './options.ts';
import { answerOf } from './replies.ts';
import { streamsOf } from './streams.ts';

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

/** The value of a parameter, or why it is refused. */
type Parsed<Value> = { readonly value: Value } | { readonly fault: string };

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/;
/** The longest text of a filter. */
const charactersMax = 256;

const parsers = {
  resource: (text: string) => orFault(streamsOf(text), 'Enter a resource, such as pinpoints or pinpoints/12.'),
  application: (text: string) => ({ value: { actor: text } }),
  action: (text: string) => {
    const types = typesOfAction(text);
    return types.length > 0 ? { value: { types } } : { fault: 'Enter an action, such as edited.' };
  },
  field: (text: string) => {
    const field = fieldNamed(text);
    return field === undefined ? { fault: 'Enter the name of a field.' } : { value: { field } };
  },
  correlation_id: (text: string) => ({ value: { correlation: text } }),
  changeset: (text: string) => (isUuid(text) ? { value: { correlation: text.toLowerCase() } } : { fault: 'Enter a UUID.' }),
} satisfies Record<string, (text: string) => Parsed<ActivityFilter>>;

const orFault = (value: ActivityFilter | undefined, fault: string): Parsed<ActivityFilter> => (value ? { value } : { fault });

const timeMs = (text: string): Parsed<number> => {
  const ms = time.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? { fault: 'Enter a time like 2026-06-01T08:00:00.000Z.' } : { value: ms };
};

const metresIn = (text: string): Parsed<ActivityFilter> =>
  /^\d{1,9}(\.\d{1,9})?$/.test(text) ? { value: { movedMetres: Number(text) } } : { fault: 'Enter a number of metres.' };

/** Returns the filters that a query asks for.
 * @throws HttpError 400 with all faults */
export const filtersIn = (query: URLSearchParams, { storedRequestIds }: Pick<AuditorOptions, 'storedRequestIds'>) => {
  const errors: Record<string, FieldErrors[string]> = {};
  const read = <Value>(name: string, parse: (text: string) => Parsed<Value>): Value | undefined => {
    const text = query.get(name);
    if (text === null) return undefined;
    const parsed = text.length > charactersMax ? { fault: `Ensure this has no more than ${charactersMax} characters.` } : parse(text);
    if ('value' in parsed) return parsed.value;
    errors[name] = [parsed.fault];
    return undefined;
  };
  const filters = Object.entries(parsers).map(([name, parse]) => read(name, parse) ?? {});
  const requests = read('request_id', (text) => ({ value: { requests: storedRequestIds(text) } }));
  const [sinceMs = 0, untilMs = null] = [read('from', timeMs), read('to', timeMs)];
  const moved = read('moved', metresIn);
  if (Object.keys(errors).length > 0) throw invalidFields(errors);
  return { sinceMs, untilMs, filter: Object.assign({}, ...filters, requests, moved) as ActivityFilter };
};
