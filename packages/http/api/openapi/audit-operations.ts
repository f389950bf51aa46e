import type { Endpoint } from '../endpoints.ts';
import { always, body, Categories, type Described, Events, type Kind, Lists, noun, Pinpoints, repeatable } from './described.ts';
import type { ParameterName } from './parameters.ts';
import type { SchemaName } from './schemas.ts';

const history = (operationId: string, schema: SchemaName, texts: Pick<Described, 'summary' | 'description'>): Described => ({
  operationId,
  tag: 'History',
  ...texts,
  successes: { 200: { description: 'As of every acknowledged write.', schema } },
  problems: [...always, 'NotFound', 'Erased'],
});

/** Reads of revisions, which may be deletions. */
const revisions = (...given: Parameters<typeof history>): Described => ({
  ...history(...given),
  problems: [...always, 'Deleted', 'Erased'],
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

/** Writes that take back what was done to an object. */
const takesBack = (operationId: string, done: string, texts: Pick<Described, 'summary' | 'description'>): Described => ({
  operationId,
  tag: 'History',
  ...texts,
  parameters: ['IdempotencyKey', 'CorrelationId'],
  body: 'RevisionBody',
  successes: { 200: { description: done, schema: 'UndoReport', headers: ['Cache-Control', 'X-Read-Lag'] } },
  problems: [...always, ...body, 'Deleted', 'Erased', 'Kept', 'KeyReused'],
  examples: { body: 'RevisionBody', answer: 'UndoReport' },
});

/** Proofs, and exports with proofs. */
const proof = (operationId: string, schema: SchemaName, texts: Pick<Described, 'summary' | 'description' | 'parameters'>): Described => ({
  operationId,
  tag: 'Proof',
  ...texts,
  successes: { 200: { description: 'Hashes are base64. The proof is verified.', schema } },
  problems: [...always, 'NotFound', 'NotCovered'],
});

const exportOf = (operationId: string, texts: Pick<Described, 'summary' | 'description'>): Described => ({
  operationId,
  tag: 'Proof',
  ...texts,
  parameters: ['OfCheckpoints', 'Announcements', 'Cursor'],
  successes: {
    200: {
      description: 'A page. Pages follow each other in one file.',
      schema: 'ExportPage',
      mediaType: 'application/x-ndjson',
      headers: ['Link'],
    },
  },
  problems: [...always, 'NotFound', 'NotCovered'],
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
  'GET /audit/v1/:kind/:id/versions/:revision': revisions('getVersion', 'Version', {
    summary: 'An object as of a revision',
    description:
      'In the format of `/v3.0`. 410 where the revision is before the last erasure; 404 where it is a deletion, which the response names.',
  }),
  'GET /audit/v1/:kind/:id/diff': {
    ...revisions('getDiff', 'Diff', {
      summary: 'What differs between two revisions of an object',
      description:
        'By field. A description is compared word by word, a location by its distance in metres. Of a list, `members` has the ids that were added and removed, page by page.',
    }),
    parameters: ['FromRevision', 'ToRevision', 'Limit', 'Cursor'],
  },
  'GET /audit/v1/checkpoints/latest': proof('getLatestCheckpoint', 'ProvenRoot', {
    summary: 'The last signed checkpoint',
    description: "The signed note, the size and the root of the account's tree, and its place in the map of all accounts.",
  }),
  'GET /audit/v1/proofs/inclusion': proof('proveInclusion', 'InclusionProof', {
    summary: 'Prove that a change is in the history',
    description: 'The inclusion proof of an event in the tree of the account at the last checkpoint.',
    parameters: ['OfKind', 'OfId', 'OfRevision'],
  }),
  'GET /audit/v1/proofs/consistency': proof('proveConsistency', 'ConsistencyProof', {
    summary: 'Prove that the history was only added to',
    description: 'The consistency proof between the trees of the account at two checkpoints.',
    parameters: ['FromCheckpoint', 'ToCheckpoint'],
  }),
  'GET /audit/v1/export': exportOf('exportAccount', {
    summary: 'Export the history of the account, with proofs',
    description:
      'NDJSON: a header, then all events up to the last checkpoint, in order. All pages are of one checkpoint. `waymark audit verify` checks the file offline.',
  }),
  'GET /audit/v1/:kind/:id/export': exportOf('exportObject', {
    summary: 'Export the history of an object, with proofs',
    description: 'NDJSON: a header, then each event of the object with its inclusion proof.',
  }),
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
  'GET /audit/v1/:kind/:id/blame': revisions('getBlame', 'Blame', {
    summary: 'Who set each field, when, and its value before',
    description: 'A field that was not set since an erasure names the erasure.',
  }),
  'POST /audit/v1/:kind/:id/restore': takesBack('restoreVersion', 'The object is as it was, for every reader.', {
    summary: 'Restore a version of an object',
    description:
      'Sets all fields to their values of a version, with one change. A deleted object comes back with its memberships and events. The members of a list that is present stay. 409 where an event would come back at a deleted pinpoint, or without its file; 410 where the version is before the last erasure; 404 where it is a deletion, which the response names.',
  }),
  'POST /audit/v1/:kind/:id/undo': takesBack('undoChange', 'The change is undone, for every reader.', {
    summary: 'Undo a change of an object',
    description:
      'Sets what the change set to the values of before, brings back what it deleted, or deletes what it created, with one change. Later changes stay. 409 where a later change has set the same: nothing is changed then, and the report names it. 410 where the change is not after the last erasure.',
  }),
  'POST /audit/v1/undos': {
    operationId: 'startUndo',
    tag: 'History',
    summary: 'Undo what a correlation, or an application, did',
    description:
      'Starts a job, which undoes all changes of a correlation, or those of an application between two times: for each field that they set last, the value of before is set. What others have changed since stays, and the report names it. With `dry_run`, nothing is changed, and the report is the same. Changes of a correlation that are more than 24 hours apart need `from` and `to`.',
    parameters: ['IdempotencyKey', 'CorrelationId'],
    body: 'UndoJobBody',
    successes: { 202: { description: 'The job.', schema: 'UndoJob', headers: ['Cache-Control'] } },
    problems: [...always, ...body, ...repeatable],
    examples: { body: 'UndoJobBody', answer: 'UndoJob' },
  },
  'GET /audit/v1/undos/:id': {
    operationId: 'getUndo',
    tag: 'History',
    summary: 'An undo job, and its report',
    description: 'The report has one line for each object, page by page, as far as the job is.',
    parameters: ['ReportPage'],
    successes: { 200: { description: 'The job.', schema: 'UndoJob' } },
    problems: [...always, 'NotFound'],
    examples: { answer: 'UndoJob' },
  },
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
