import type { Endpoint } from '../endpoints.ts';
import type { ExampleName } from './examples.ts';
import type { HeaderName } from './headers.ts';
import type { ParameterName } from './parameters.ts';
import type { ProblemName } from './responses.ts';
import type { SchemaName } from './schemas.ts';

/** A successful response, or 304. */
export type Success = {
  readonly description: string;
  readonly schema?: SchemaName;
  /** The media type of the body; by default, JSON. */
  readonly mediaType?: 'text/event-stream';
  readonly headers?: readonly HeaderName[];
};

/** The description of an endpoint: what the table of endpoints does not contain. */
export type Described = {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly ParameterName[];
  readonly body?: SchemaName;
  readonly successes: { readonly [status: number]: Success };
  readonly problems: readonly ProblemName[];
  /** Examples of the body and of the response, where there are any. */
  readonly examples?: { readonly body?: ExampleName; readonly answer?: ExampleName };
};

/** A kind of object, with the names that its operations use. */
type Kind = { readonly tag: string; readonly one: 'Pinpoint' | 'List' | 'Category' | 'Event'; readonly many: string };

const Pinpoints: Kind = { tag: 'Pinpoints', one: 'Pinpoint', many: 'Pinpoints' };
const Lists: Kind = { tag: 'Lists', one: 'List', many: 'Lists' };
const Categories: Kind = { tag: 'Categories', one: 'Category', many: 'Categories' };
const Events: Kind = { tag: 'Events', one: 'Event', many: 'Events' };

/** Problems that every operation can return. */
const always = ['BadRequest', 'NotAuthenticated', 'Forbidden', 'MethodNotAllowed', 'Throttled', 'InternalError', 'Unavailable'] as const;
const body = ['TooLarge', 'UnsupportedMediaType'] as const;
const repeatable = ['StillRunning', 'KeyReused'] as const;

const noun = ({ one }: Kind): string => (/^[AEIOU]/.test(one) ? `an ${one.toLowerCase()}` : `a ${one.toLowerCase()}`);

const page = (kind: Kind, filter?: ParameterName): Described => ({
  operationId: `list${kind.many}`,
  tag: kind.tag,
  summary: `List ${kind.many.toLowerCase()}`,
  description: 'By ascending id. Further pages are found by following `next`, never by making up a URL.',
  parameters: ['Limit', ...(filter === undefined ? [] : [filter]), 'Cursor'],
  successes: { 200: { description: 'A page.', schema: `${kind.one}Page` } },
  problems: [...always, 'NotFound'],
  examples: { answer: `${kind.one}Page` },
});

const one = (kind: Kind): Described => ({
  operationId: `get${kind.one}`,
  tag: kind.tag,
  summary: `Get ${noun(kind)}`,
  parameters: ['IfNoneMatch'],
  successes: {
    200: { description: 'The object.', schema: kind.one, headers: ['ETag'] },
    304: { description: 'It still has this ETag.', headers: ['ETag'] },
  },
  problems: [...always, 'NotFound'],
  examples: { answer: kind.one },
});

const create = (kind: Kind, schema: SchemaName): Described => ({
  operationId: `create${kind.one}`,
  tag: kind.tag,
  summary: `Create ${noun(kind)}`,
  parameters: ['IdempotencyKey', 'CorrelationId'],
  body: schema,
  successes: {
    201: { description: 'The new object: stored, and seen by every reader.', schema: kind.one, headers: ['ETag', 'X-Read-Lag'] },
  },
  problems: [...always, ...body, ...repeatable],
  examples: { body: `${kind.one}Body`, answer: kind.one },
});

const update = (kind: Kind): Described => ({
  operationId: `update${kind.one}`,
  tag: kind.tag,
  summary: `Update ${noun(kind)}`,
  description: 'Required fields must be there; an optional field that is left out stays as it is, and null means its default.',
  parameters: ['IfMatch', 'CorrelationId'],
  body: `${kind.one}Body`,
  successes: { 200: { description: 'The whole object as it now is.', schema: kind.one, headers: ['ETag', 'X-Read-Lag'] } },
  problems: [...always, ...body, 'NotFound', 'PreconditionFailed'],
  examples: { body: `${kind.one}Body`, answer: kind.one },
});

const remove = (kind: Kind, description: string): Described => ({
  operationId: `delete${kind.one}`,
  tag: kind.tag,
  summary: `Delete ${noun(kind)}`,
  description,
  parameters: ['IfMatch', 'CorrelationId'],
  successes: { 204: { description: 'Gone for every reader.', headers: ['X-Read-Lag'] } },
  problems: [...always, 'NotFound', 'PreconditionFailed'],
});

const members: Pick<Described, 'tag' | 'body' | 'examples'> = {
  tag: 'Lists',
  body: 'MembershipBody',
  examples: { body: 'MembershipBody', answer: 'MembershipAnswer' },
};
const membersChanged: Success = { description: 'How far it went.', schema: 'MembershipAnswer', headers: ['X-Read-Lag'] };

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

/** The operations of every endpoint that needs a bearer token. */
export const operations: Readonly<Record<Endpoint, Described>> = {
  'GET /lists': page(Lists),
  'POST /lists': create(Lists, 'ListBody'),
  'GET /lists/:id': one(Lists),
  'PUT /lists/:id': update(Lists),
  'DELETE /lists/:id': remove(Lists, 'Its pinpoints stay.'),
  'POST /lists/:id/pinpoints': {
    ...members,
    operationId: 'addPinpointsToList',
    summary: 'Add pinpoints to a list',
    description: 'A pinpoint that is in the list already counts as added; one that cannot be added is told in `errors`.',
    parameters: ['IdempotencyKey', 'CorrelationId'],
    successes: { 200: membersChanged },
    problems: [...always, ...body, ...repeatable, 'NotFound'],
  },
  'DELETE /lists/:id/pinpoints': {
    ...members,
    operationId: 'removePinpointsFromList',
    summary: 'Remove pinpoints from a list',
    description: 'A pinpoint that is not in the list counts as removed.',
    parameters: ['IfMatch', 'Prefer', 'CorrelationId'],
    successes: { 200: membersChanged, 204: { description: 'As asked for with `Prefer: return=minimal`.', headers: ['X-Read-Lag'] } },
    problems: [...always, ...body, 'NotFound', 'PreconditionFailed'],
  },
  'GET /pinpoints': page(Pinpoints, 'OfList'),
  'POST /pinpoints': create(Pinpoints, 'PinpointBody'),
  'GET /pinpoints/:id': one(Pinpoints),
  'PUT /pinpoints/:id': update(Pinpoints),
  'DELETE /pinpoints/:id': remove(Pinpoints, 'Ends its memberships and deletes its events in the same step.'),
  'GET /categories': page(Categories),
  'POST /categories': create(Categories, 'NewCategoryBody'),
  'GET /categories/:id': one(Categories),
  'PUT /categories/:id': update(Categories),
  'GET /events': page(Events, 'OfPinpoint'),
  'POST /events': create(Events, 'EventBody'),
  'GET /events/:id': one(Events),
  'PUT /events/:id': update(Events),
  'DELETE /events/:id': remove(Events, 'Its pinpoint stays.'),
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
