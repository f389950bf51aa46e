import { idempotencyKeyCharactersMax, pageItemsDefault, pageItemsMax, requestIdCharactersMax } from '../../limits.ts';
import { Id } from '../schemas/fields.ts';
import { type Json, published } from './schemas.ts';

const id = published(Id);
const visibleAscii = '^[\\x21-\\x7e]+$';

const inHeader = (name: string, description: string, schema: Json): Json => ({ name, in: 'header', description, schema });
const inQuery = (name: string, description: string, schema: Json): Json => ({ name, in: 'query', description, schema });

/** Request parameters. */
export const parameters = {
  Id: { name: 'id', in: 'path', required: true, description: 'Id of the object.', schema: id },
  Kind: {
    name: 'kind',
    in: 'path',
    required: true,
    description: 'Kind of the object.',
    schema: { type: 'string', enum: ['pinpoints', 'lists', 'categories', 'events', 'applications'] },
  },
  KindOfContent: {
    name: 'kind',
    in: 'path',
    required: true,
    description: 'Kind of the object.',
    schema: { type: 'string', enum: ['pinpoints', 'lists', 'categories', 'events'] },
  },
  AnyId: { name: 'id', in: 'path', required: true, description: 'Id of the object.', schema: { type: 'string' } },
  JobId: { name: 'id', in: 'path', required: true, description: 'Id of the job.', schema: { type: 'string', format: 'uuid' } },
  Revision: {
    name: 'revision',
    in: 'path',
    required: true,
    description: 'Number of a change of the object, from 0.',
    schema: { type: 'integer', minimum: 0 },
  },
  Moment: {
    name: 'moment',
    in: 'path',
    required: true,
    description: 'The id of an event of the account, or a time in ISO 8601 with milliseconds, in UTC. A time up to 5 s ahead means now.',
    schema: { type: 'string' },
  },
  OfResource: inQuery('resource', 'Only changes of a kind of object (`pinpoints`), or of one object (`pinpoints/12`).', { type: 'string' }),
  OfApplication: inQuery('application', 'Only changes that this application made; `operator` for operators.', { type: 'string' }),
  OfAction: inQuery('action', 'Only this action, as entries name it.', { type: 'string' }),
  OfField: inQuery('field', 'Only changes that set this field.', { type: 'string' }),
  FromTime: inQuery('from', 'Only changes at or after this time.', { type: 'string', format: 'date-time' }),
  ToTime: inQuery('to', 'Only changes at or before this time.', { type: 'string', format: 'date-time' }),
  OfDay: inQuery('day', 'The day, in UTC; by default today.', { type: 'string', format: 'date' }),
  FromMoment: inQuery('from', 'The first moment, as in `/as-of/{moment}`.', { type: 'string' }),
  ToMoment: inQuery('to', 'The second moment, not before the first one.', { type: 'string' }),
  OfCheckpoints: inQuery(
    'checkpoint',
    'Numbers of earlier checkpoints, with commas between them: the export shows that it continues each.',
    {
      type: 'string',
    },
  ),
  Announcements: inQuery('announcements', '`none`: without announced keys and former origins, for a reader who trusts the last key only.', {
    type: 'string',
    enum: ['all', 'none'],
  }),
  OfKind: inQuery('kind', 'Kind of the object.', { type: 'string', enum: ['pinpoints', 'lists', 'categories', 'events', 'applications'] }),
  OfId: inQuery('id', 'Id of the object.', { type: 'string' }),
  OfRevision: inQuery('revision', 'Number of a change of the object, from 0.', { type: 'integer', minimum: 0 }),
  FromCheckpoint: inQuery('from', 'The number of a checkpoint.', { type: 'integer', minimum: 1 }),
  ToCheckpoint: inQuery('to', 'The number of a later checkpoint; by default the last one.', { type: 'integer', minimum: 1 }),
  MembersOf: inQuery('list', 'Only members of that list.', { type: 'integer' }),
  OfCorrelation: inQuery('correlation_id', 'Only changes with this correlation.', { type: 'string' }),
  OfChangeset: inQuery('changeset', 'Only changes of this changeset.', { type: 'string' }),
  OfRequest: inQuery('request_id', 'Only the change that this request made: its `X-Request-Id`, or the hash of it that log lines have.', {
    type: 'string',
  }),
  MovedMetres: inQuery('moved', 'Only changes that moved an object by more than this number of metres.', { type: 'number', minimum: 0 }),
  FromRevision: inQuery('from', 'The revision that is compared.', { type: 'integer', minimum: 0 }),
  ToRevision: inQuery('to', 'The revision that it is compared with.', { type: 'integer', minimum: 0 }),
  ReportPage: inQuery('page', 'Only as it stands in `next`.', { type: 'integer', minimum: 1 }),
  Limit: inQuery('limit', 'Objects on a page: clamped, nonsense falls back to the default.', {
    type: 'integer',
    minimum: 1,
    maximum: pageItemsMax,
    default: pageItemsDefault,
  }),
  Cursor: inQuery('cursor', 'Only as it stands in `next` and `previous`; it keeps limit and filter.', { type: 'string' }),
  OfList: inQuery('list', 'Only pinpoints of that list.', { type: 'integer' }),
  OfPinpoint: inQuery('pinpoint', 'Only events at that pinpoint.', { type: 'integer' }),
  RequestId: inHeader('X-Request-Id', 'Comes back in the answer.', {
    type: 'string',
    pattern: visibleAscii,
    minLength: 1,
    maxLength: requestIdCharactersMax,
  }),
  IdempotencyKey: inHeader('Idempotency-Key', 'The same key and body within 24 hours give the first success again.', {
    type: 'string',
    pattern: visibleAscii,
    minLength: 1,
    maxLength: idempotencyKeyCharactersMax,
  }),
  CorrelationId: inHeader(
    'Correlation-Id',
    'The same for all changes of one operation; the history finds them by it. By default, a new one.',
    {
      type: 'string',
      format: 'uuid',
    },
  ),
  LastEventId: inHeader('Last-Event-ID', 'The id of the last event that arrived: the stream continues after it.', { type: 'string' }),
  IfMatch: inHeader('If-Match', 'Changes nothing unless the object still has this ETag.', { type: 'string' }),
  IfNoneMatch: inHeader('If-None-Match', '304 where the object still has this ETag.', { type: 'string' }),
  Prefer: inHeader('Prefer', '`return=minimal`: 204 without a body.', { type: 'string' }),
} satisfies Record<string, Json>;

export type ParameterName = keyof typeof parameters;

export const parameterRef = (name: ParameterName): Json => ({ $ref: `#/components/parameters/${name}` });
