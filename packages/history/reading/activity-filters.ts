import { isUuid } from '@waymark/domain/uuid.ts';
import type { ActivityFilter } from '../history.ts';
import { typesOfAction } from './actions.ts';
import { fieldNamed } from './api-values.ts';
import { instantMs } from './moment.ts';
import type { ActivityQuestion } from './questions.ts';
import { streamsNamed } from './streams.ts';

/** What a caller wants to see of an account's activity, as texts. */
export type ActivityTexts = {
  /** Returns the text of a filter; null or undefined without one. */
  readonly read: (name: ActivityFilterName) => string | null | undefined;
  /** Returns how a request id may be stored in events. */
  readonly storedRequestIds: (text: string) => readonly string[];
};

export type ActivityFilterName = keyof typeof parsers | 'request_id' | 'from' | 'to' | 'moved';

export type ActivitySelection = Pick<ActivityQuestion, 'sinceMs' | 'untilMs' | 'filter'>;

/** The value of a filter, or why it is refused. */
type Parsed<Value> = { readonly value: Value } | { readonly fault: string };

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/;
/** The correlation of no event. */
const noCorrelation = '';
/** The longest text of a filter. */
export const filterCharactersMax = 256;

const parsers = {
  resource: (text: string) => orFault(streamsNamed(text), 'Enter a resource, such as pinpoints or pinpoints/12.'),
  application: (text: string) => ({ value: { actor: text } }),
  action: (text: string) => {
    const types = typesOfAction(text);
    return types.length > 0 ? { value: { types } } : { fault: 'Enter an action, such as edited.' };
  },
  field: (text: string) => {
    const field = fieldNamed(text);
    return field === undefined ? { fault: 'Enter the name of a field.' } : { value: { field } };
  },
  // The history has UUIDs in lower case. Earlier releases kept other texts, too.
  correlation_id: (text: string) => ({ value: { correlation: isUuid(text) ? text.toLowerCase() : text } }),
  changeset: (text: string) => (isUuid(text) ? { value: { correlation: text.toLowerCase() } } : { fault: 'Enter a UUID.' }),
} satisfies Record<string, (text: string) => Parsed<ActivityFilter>>;

const orFault = (value: ActivityFilter | undefined, fault: string): Parsed<ActivityFilter> => (value ? { value } : { fault });

const timeMs = (text: string): Parsed<number> => {
  const ms = time.test(text) ? instantMs(text) : undefined;
  return ms === undefined ? { fault: 'Enter a time like 2026-06-01T08:00:00.000Z.' } : { value: ms };
};

const metresIn = (text: string): Parsed<ActivityFilter> =>
  /^\d{1,9}(\.\d{1,9})?$/.test(text) ? { value: { movedMetres: Number(text) } } : { fault: 'Enter a number of metres.' };

/** Returns what the filters select, or why filters are refused, by name. */
export const parseActivityFilters = ({
  read: textOf,
  storedRequestIds,
}: ActivityTexts): ActivitySelection | { readonly faults: Readonly<Record<string, string>> } => {
  const faults: Record<string, string> = {};
  const read = <Value>(name: ActivityFilterName, parse: (text: string) => Parsed<Value>): Value | undefined => {
    const text = textOf(name);
    if (text === null || text === undefined) return undefined;
    const isLong = text.length > filterCharactersMax;
    const parsed = isLong ? { fault: `Ensure this has no more than ${filterCharactersMax} characters.` } : parse(text);
    if ('value' in parsed) return parsed.value;
    faults[name] = parsed.fault;
    return undefined;
  };
  const filters = Object.entries(parsers).map(([name, parse]) => read(name as keyof typeof parsers, parse) ?? {});
  const requests = read('request_id', (text) => ({ value: { requests: storedRequestIds(text) } }));
  const [sinceMs = 0, untilMs = null] = [read('from', timeMs), read('to', timeMs)];
  const moved = read('moved', metresIn);
  if (Object.keys(faults).length > 0) return { faults };
  return { sinceMs, untilMs, filter: together([...filters, requests ?? {}, moved ?? {}]) };
};

/** Returns one filter for what all filters select. A changeset is a correlation: two different ones select nothing. */
const together = (filters: readonly ActivityFilter[]): ActivityFilter => {
  const correlations = new Set(filters.flatMap(({ correlation }) => correlation ?? []));
  return Object.assign({}, ...filters, correlations.size > 1 ? { correlation: noCorrelation } : {}) as ActivityFilter;
};
