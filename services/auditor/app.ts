import type { Subject } from '@waymark/history/reading/questions.ts';
import type { Call, Handler, Routes } from '@waymark/http/call.ts';
import { notFound } from '@waymark/http/errors.ts';
import { collections } from '@waymark/http/paging/paging.ts';
import { activity } from './activity.ts';
import { activityStream } from './activity-stream/activity-stream.ts';
import { objectAsOf, pageAsOf } from './as-of.ts';
import { changes } from './changes.ts';
import { comparisonCursor, comparisonOf, historyCursor, historyPlaceOf, revisionIn } from './cursors.ts';
import type { AuditorOptions } from './options.ts';
import { proofRoutes } from './proofs/proofs.ts';
import { refusals } from './refusals.ts';
import { answerOf } from './replies.ts';
import { streamOf } from './streams.ts';
import { undos } from './undos.ts';

/** Returns all routes that read the history. */
export const auditorRoutes = (options: AuditorOptions): Routes => ({
  ...proofRoutes(options.proofs, options),
  'GET /audit/v1/:kind/:id/history': history(options),
  'GET /audit/v1/:kind/:id/versions/:revision': version(options),
  'GET /audit/v1/:kind/:id/diff': diff(options),
  'GET /audit/v1/:kind/:id/blame': blame(options),
  'GET /audit/v1/activity': activity(options),
  'GET /audit/v1/refusals': refusals(options),
  'GET /audit/v1/changes': changes(options),
  'GET /audit/v1/undos/:id': undos(options),
  'GET /audit/v1/activity/stream': activityStream(options),
  'GET /audit/v1/as-of/:moment/pinpoints/:id': objectAsOf(options, 'pinpoint'),
  'GET /audit/v1/as-of/:moment/pinpoints': pageAsOf(options, collections.pinpoint),
  'GET /audit/v1/as-of/:moment/lists/:id': objectAsOf(options, 'list'),
  'GET /audit/v1/as-of/:moment/lists': pageAsOf(options, collections.list),
  'GET /audit/v1/as-of/:moment/categories/:id': objectAsOf(options, 'category'),
  'GET /audit/v1/as-of/:moment/categories': pageAsOf(options, collections.category),
  'GET /audit/v1/as-of/:moment/events/:id': objectAsOf(options, 'happening'),
  'GET /audit/v1/as-of/:moment/events': pageAsOf(options, collections.happening),
});

/** Returns the object that a request is about.
 * @throws HttpError 404 */
const subjectOf = (call: Call, { base }: AuditorOptions): Subject => ({ account: call.access.account, stream: streamOf(call), base });

const history =
  (options: AuditorOptions): Handler =>
  async (call) => {
    const subject = subjectOf(call, options);
    const place = historyPlaceOf(call.url, subject, options.seals);
    const reply = await options.ask({ type: 'history', ...subject, ...place });
    return answerOf(reply, (before) => linkTo('history', call, options, historyCursor(subject, { ...place, before }, options.seals)));
  };

/** Returns the URL of a page of an object. */
const linkTo = (page: 'history' | 'diff', { parameters: { kind, id } }: Call, { base }: AuditorOptions, cursor: string): string =>
  `${base}/audit/v1/${kind}/${id}/${page}?cursor=${cursor}`;

const version =
  (options: AuditorOptions): Handler =>
  async (call) => {
    const revision = revisionIn(call.parameters['revision']);
    if (revision === undefined) throw notFound();
    return answerOf(await options.ask({ type: 'version', ...subjectOf(call, options), revision }));
  };

const diff =
  (options: AuditorOptions): Handler =>
  async (call) => {
    const subject = subjectOf(call, options);
    const place = comparisonOf(call.url, subject, options.seals);
    const reply = await options.ask({ type: 'diff', ...subject, ...place });
    return answerOf(reply, (beyond) => linkTo('diff', call, options, comparisonCursor(subject, { ...place, beyond }, options.seals)));
  };

const blame =
  (options: AuditorOptions): Handler =>
  async (call) =>
    answerOf(await options.ask({ type: 'blame', ...subjectOf(call, options) }));
