import { accountId } from '@waymark/domain/account/decide.ts';
import { applicationStream, resourceStream } from '@waymark/domain/streams.ts';
import { HistoryUnavailable } from '@waymark/history/history.ts';
import { type ActivitySelection, parseActivityFilters } from '@waymark/history/reading/activity-filters.ts';
import type { ActivityQuestion, ObjectQuestion, Reply, Subject } from '@waymark/history/reading/questions.ts';
import type { OpenRoute } from '@waymark/http/app.ts';
import { badRequest, HttpError, unavailable } from '@waymark/http/errors.ts';
import { pageItemsDefault } from '@waymark/http/limits.ts';
import type { BodyOf } from './api/calls.ts';
import { operatorRoute } from './api/route.ts';

export type HistoryRoutesOptions = {
  /** Asks the history, once it has every write that was acknowledged before.
   * @throws HistoryUnavailable */
  readonly ask: (question: ObjectQuestion | ActivityQuestion) => Promise<Reply>;
  /** Returns how a request id may be stored in events. */
  readonly storedRequestIds: (text: string) => readonly string[];
  /** The public base URL, without a trailing slash. */
  readonly base: string;
};

/** Returns the routes that read the history of any account and of its objects. The caller has to protect each of them. */
export const historyRoutes = ({ ask, storedRequestIds, base }: HistoryRoutesOptions): readonly OpenRoute[] => {
  const answered = async <Answer>(question: ObjectQuestion | ActivityQuestion): Promise<Answer> =>
    bodyOf(await ask(question).catch(explained));
  return [
    operatorRoute('POST /operator/history', ({ before = Number.MAX_SAFE_INTEGER, limit = pageItemsDefault, ...object }) =>
      answered({ type: 'history', ...subjectOf(object, base), before, limit }),
    ),
    operatorRoute('POST /operator/diff', ({ from, to, beyond = 0, limit = pageItemsDefault, ...object }) =>
      answered({ type: 'diff', ...subjectOf(object, base), from, to, beyond, limit }),
    ),
    operatorRoute('POST /operator/blame', (object) => answered({ type: 'blame', ...subjectOf(object, base) })),
    operatorRoute('POST /operator/activity', ({ account, before = Number.MAX_SAFE_INTEGER, limit = pageItemsDefault, ...filters }) =>
      answered({ type: 'activity', account: accountId(account), base, before, limit, ...selectionOf(filters, storedRequestIds) }),
    ),
  ];
};

const explained = (error: unknown): never => {
  throw error instanceof HistoryUnavailable ? unavailable(error.message) : error;
};

/** Returns the object that a body names.
 * @throws HttpError 400 */
const subjectOf = ({ account, kind, id }: BodyOf<'POST /operator/blame'>, base: string): Subject => {
  if ((kind === 'application') !== (typeof id === 'string')) throw badRequest('id: a text for an application, or else a whole number');
  // What the API calls an event is a happening in the code.
  const stream = kind === 'application' ? applicationStream(`${id}`) : resourceStream(kind === 'event' ? 'happening' : kind, Number(id));
  return { account: accountId(account), stream, base };
};

type Filters = Omit<BodyOf<'POST /operator/activity'>, 'account' | 'before' | 'limit'>;

/** Returns what the filters of a body select.
 * @throws HttpError 400 */
const selectionOf = (filters: Filters, storedRequestIds: HistoryRoutesOptions['storedRequestIds']): ActivitySelection => {
  const parsed = parseActivityFilters({ read: (name) => filters[name], storedRequestIds });
  if (!('faults' in parsed)) return parsed;
  throw badRequest(
    Object.entries(parsed.faults)
      .map(([name, fault]) => `${name}: ${fault}`)
      .join(' '),
  );
};

/** Returns the body of the response for a reply. A text of the history has the type that its question asks for.
 * @throws HttpError 404, 410 */
const bodyOf = <Answer>(reply: Reply): Answer => {
  switch (reply.outcome) {
    case 'found':
      return JSON.parse(reply.text);
    case 'part':
      return JSON.parse(`${reply.text},"next":${reply.next}}`);
    case 'page':
      return JSON.parse(`{"results":[${reply.items.join(',')}],"next":${reply.next}}`);
    case 'not-found':
    case 'forbidden':
      throw new HttpError(404, { detail: 'The account has no such object, or the object has no such revision.' });
    case 'deleted': {
      const { revision, time, event } = reply;
      throw new HttpError(404, { detail: `Revision ${revision} deleted the object, at ${time}.`, deleted: { id: event, revision, time } });
    }
    case 'erased':
      throw new HttpError(410, { detail: 'The revision was erased.' });
    case 'later-part':
    case 'restorable':
    case 'undoable':
    case 'undo-scope':
    case 'place-of-event':
    case 'too-many-changes':
    case 'as-of-page':
    case 'changes-page':
    case 'invalid-moment':
    case 'future-moment':
    case 'reversed-moments':
      throw new Error(`"${reply.outcome}" is no reply to a question about an object`);
  }
};
