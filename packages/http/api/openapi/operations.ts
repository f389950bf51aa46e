import type { Endpoint } from '../endpoints.ts';
import { auditOperations } from './audit-operations.ts';
import {
  always,
  body,
  Categories,
  type Described,
  Events,
  type Kind,
  Lists,
  noun,
  Pinpoints,
  repeatable,
  type Success,
} from './described.ts';
import type { ParameterName } from './parameters.ts';
import type { SchemaName } from './schemas.ts';

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
  ...auditOperations,
};
