import type { Endpoint } from '../endpoints.ts';
import { always, body, Categories, type Described, Events, type Kind, Lists, noun, Pinpoints, repeatable } from './described.ts';
import type { ParameterName } from './parameters.ts';
import type { SchemaName } from './schemas.ts';

const history = (operationId: string, schema: SchemaName | undefined, texts: Pick<Described, 'summary' | 'description'>): Described => ({
  operationId,
  tag: 'History',
  ...texts,
  successes: { 200: { description: 'As of every acknowledged write.', ...(schema === undefined ? {} : { schema }) } },
  problems: [...always, 'NotFound', 'Erased'],
});

/** Filters of what happened in an account. */
const filters = [
  ...(['OfResource', 'OfApplication', 'OfAction', 'OfField', 'FromTime', 'ToTime'] as const),
  ...(['OfCorrelation', 'OfChangeset', 'OfRequest', 'MovedMetres'] as const),
];

/** Reads of `/v3.0` as of a moment. */
const oneAsOf = (kind: Kind): Described => ({
  operationId: `get${kind.one}AsOf`,
  tag: 'History',
  summary: `Get ${noun(kind)} as it was at a moment`,
  successes: { 200: { description: 'The object as it was, in the format of today.', schema: kind.one, headers: ['X-As-Of-Event'] } },
  problems: [...always, 'NotFound', 'Erased'],
});

const pageAsOf = (kind: Kind, filter?: ParameterName): Described => ({
  operationId: `list${kind.many}AsOf`,
  tag: 'History',
  summary: `List ${kind.many.toLowerCase()} as they were at a moment`,
  description:
    'The first page finds the position of the moment, and the links keep it. Objects whose content of that time was erased are left out. A page may be empty and still have a `next`.',
  parameters: ['Limit', ...(filter === undefined ? [] : [filter]), 'Cursor'],
  successes: { 200: { description: 'A page.', schema: `${kind.one}Page`, headers: ['X-As-Of-Event'] } },
  problems: [...always, 'NotFound'],
});

/** What the operations on the history are. */
export const auditOperations: Readonly<Record<Extract<Endpoint, `${string} /audit/${string}`>, Described>> = {
  'GET /audit/v1/:kind/:id/history': {
    ...history('getHistory', 'HistoryPage', {
      summary: 'Every change of an object',
      description: 'Newest first, also of a deleted object. A change of another object that changed this one is in both histories.',
    }),
    parameters: ['Limit', 'Cursor'],
  },
  'GET /audit/v1/:kind/:id/versions/:revision': history('getVersion', undefined, {
    summary: 'An object as of a revision',
    description:
      'In the format of `/v3.0`. 410 where the revision is before the last erasure; 404 where it is a deletion, which the response names.',
  }),
  'GET /audit/v1/:kind/:id/diff': {
    ...history('getDiff', 'Diff', {
      summary: 'What differs between two revisions of an object',
      description:
        'By field. A description is compared word by word, a location by its distance in metres. Of a list, `members` has the ids that were added and removed, page by page.',
    }),
    parameters: ['FromRevision', 'ToRevision', 'Limit', 'Cursor'],
  },
  'GET /audit/v1/activity': {
    ...history('listActivity', 'ActivityPage', {
      summary: 'What happened in the account',
      description:
        'Newest first. Filters can be combined. A filter without an index compares each entry of the time span: 50,000 take about 0.1 s.',
    }),
    parameters: [...filters, 'Limit', 'Cursor'],
  },
  'GET /audit/v1/activity/stream': {
    operationId: 'streamActivity',
    tag: 'History',
    summary: 'What happens in the account, as server-sent events',
    description:
      'Oldest first, from now on, or from `Last-Event-ID` on. Filters can be combined. Every 15 s a heartbeat is sent. 410 where the log was renewed since the id was issued: begin again without it. At most 5 streams per application.',
    parameters: [...filters, 'LastEventId'],
    successes: { 200: { description: 'A response that stays open.', schema: 'ActivityStream', mediaType: 'text/event-stream' } },
    problems: [...always, 'Renewed'],
  },
  'GET /audit/v1/refusals': {
    operationId: 'listRefusals',
    tag: 'History',
    summary: 'Refused writes, and failed sign-ins of known applications',
    description:
      'Of one day, oldest first. A process keeps at most 100 of an account in a minute. `more` is the number of those that it only counted. A refusal is here within a minute.',
    parameters: ['OfDay', 'Limit', 'Cursor'],
    successes: { 200: { description: 'A page.', schema: 'RefusalPage' } },
    problems: [...always, 'NotFound'],
  },
  'GET /audit/v1/changes': {
    ...history('listChanges', 'ChangesPage', {
      summary: 'What differs between two moments',
      description:
        'The objects of the account that were added, removed or changed between two moments, or the members of a list: one line for each, the newest change first. The first page finds the positions of the moments, and the links keep them; `from` and `to` name their events. 410 where the members that the list had at `from` were erased.',
    }),
    parameters: ['FromMoment', 'ToMoment', 'MembersOf', 'Limit', 'Cursor'],
  },
  'GET /audit/v1/as-of/:moment/pinpoints/:id': oneAsOf(Pinpoints),
  'GET /audit/v1/as-of/:moment/pinpoints': pageAsOf(Pinpoints, 'OfList'),
  'GET /audit/v1/as-of/:moment/lists/:id': oneAsOf(Lists),
  'GET /audit/v1/as-of/:moment/lists': pageAsOf(Lists),
  'GET /audit/v1/as-of/:moment/categories/:id': oneAsOf(Categories),
  'GET /audit/v1/as-of/:moment/categories': pageAsOf(Categories),
  'GET /audit/v1/as-of/:moment/events/:id': oneAsOf(Events),
  'GET /audit/v1/as-of/:moment/events': pageAsOf(Events, 'OfPinpoint'),
  'GET /audit/v1/:kind/:id/blame': history('getBlame', 'Blame', {
    summary: 'Who set each field, when, and its value before',
    description: 'A field that was not set since an erasure names the erasure.',
  }),
  'POST /audit/v1/changesets': {
    operationId: 'openChangeset',
    tag: 'History',
    summary: 'Open a changeset',
    description:
      'Says why changes are made, and who makes them, as the application claims. Send the id as `Correlation-Id` with each of the changes: their history names the changeset.',
    parameters: ['IdempotencyKey', 'CorrelationId'],
    body: 'ChangesetBody',
    successes: { 201: { description: 'Its id.', schema: 'OpenedChangeset', headers: ['Cache-Control', 'X-Read-Lag'] } },
    problems: [...always, ...body, ...repeatable],
    examples: { body: 'ChangesetBody', answer: 'OpenedChangeset' },
  },
};
