import type { Reply } from '@waymark/history/reading/questions.ts';
import type { Answer } from '@waymark/http/call.ts';
import { badRequest, forbidden, gone, HttpError, notFound } from '@waymark/http/errors.ts';

/** Returns the URL of the page that continues at a place, in a direction. */
export type Link = (place: number, direction: 'forward' | 'backward') => string;

const noLink: Link = () => '';

/** Returns the response for a reply.
 * @throws HttpError 400, 403, 404, 410 */
export const answerOf = (reply: Reply, link: Link = noLink): Answer => {
  const linkTo = (place: number | null, direction: 'forward' | 'backward' = 'forward'): string =>
    JSON.stringify(place === null ? null : link(place, direction));
  switch (reply.outcome) {
    case 'found':
      return { status: 200, body: reply.text, ...(reply.event === undefined ? {} : asOf(reply.event)) };
    case 'part':
      return { status: 200, body: `${reply.text},"next":${linkTo(reply.next)}}` };
    case 'page':
      return { status: 200, body: `{"results":[${reply.items.join(',')}],"next":${linkTo(reply.next)}}` };
    case 'as-of-page': {
      const links = `"next":${linkTo(reply.next)},"previous":${linkTo(reply.previous, 'backward')}`;
      return { status: 200, body: `{"results":[${reply.items.join(',')}],${links}}`, ...asOf(reply.moment.event) };
    }
    case 'not-found':
      throw notFound();
    case 'forbidden':
      throw forbidden();
    case 'deleted': {
      const { revision, time, event } = reply;
      throw new HttpError(404, { detail: 'The object was deleted.', deleted: { id: event, revision, time } });
    }
    case 'erased':
      throw gone();
    case 'invalid-moment':
      throw badRequest('Enter a moment: the id of an event, or a time like 2026-06-01T08:00:00.000Z.');
    case 'future-moment':
      throw badRequest('The moment is in the future.');
  }
};

/** Names the last event that a response as of a moment includes. */
const asOf = (event: string): Pick<Answer, 'headers'> => ({ headers: { 'X-As-Of-Event': event } });
