import { type RefusalPage, readRefusals } from '@waymark/access/refusals/reading.ts';
import type { Handler } from '@waymark/http/call.ts';
import { invalidFields } from '@waymark/http/errors.ts';
import { queryOf, type RefusalsPlace, refusalsCursor, refusalsPlaceOf } from './cursors.ts';
import type { AuditorOptions } from './options.ts';

const dayMs = 24 * 60 * 60_000;

/** Returns the handler that reads the refused requests of an account on a day. */
export const refusals =
  (options: AuditorOptions): Handler =>
  async (call) => {
    const { base, seals } = options;
    const { account } = call.access;
    const query = queryOf(call.url);
    const place = refusalsPlaceOf(query, account, dayIn(query.get('day')), seals);
    const page = await pageAt(options, account, place);
    const results = await itemsOf(options, account, page);
    const next = page.next && refusalsCursor(account, { ...place, from: page.next }, seals);
    const link = next && `${base}/audit/v1/refusals?day=${place.day}&cursor=${next}`;
    return { status: 200, body: JSON.stringify({ results, more: page.more, next: link }) };
  };

/** Returns the day in a text; today if there is none.
 * @throws HttpError 400 */
const dayIn = (text: string | null): string => {
  if (text === null) return dayOf(Date.now());
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms) || dayOf(ms) !== text) throw invalidFields({ day: ['Enter a day like 2026-06-01.'] });
  return text;
};

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const nothing: RefusalPage = { refusals: [], more: 0, next: null };

const pageAt = async ({ log, refusals: { days } }: AuditorOptions, account: string, place: RefusalsPlace): Promise<RefusalPage> => {
  const keptSinceMs = Date.now() - days * dayMs;
  if (Date.parse(place.day) + dayMs <= keptSinceMs) return nothing;
  return readRefusals(log, { account, ...place, keptSinceMs });
};

/** Returns refusals as readers get them. The history has the names of applications, which are joined here. */
const itemsOf = async ({ ask }: AuditorOptions, account: string, { refusals: all }: RefusalPage): Promise<readonly object[]> => {
  if (all.length === 0) return [];
  const of = all.map(({ application, correlation }) => ({ actor: application, correlation: correlation ?? '' }));
  const reply = await ask({ type: 'people', account, of });
  const people = reply.outcome === 'page' ? reply.items.map((text) => JSON.parse(text)) : [];
  return all.map(({ time, method, route, object, status, error, fields, request, correlation, address }, nth) => ({
    time,
    ...people[nth],
    method,
    path: object === null ? route : route.replace(':id', `${object}`),
    status,
    error,
    fields,
    request_id: request,
    correlation_id: correlation,
    address,
  }));
};
