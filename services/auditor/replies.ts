import type { ChangePlace, Moment, Reply } from '@waymark/history/reading/questions.ts';
import type { Answer } from '@waymark/http/call.ts';
import { badRequest, deletedObject, forbidden, gone, type HttpError, invalidFields, notFound } from '@waymark/http/errors.ts';

/** Returns the URL of the page that continues at a place, in a direction. */
export type Link = (place: number, direction: 'forward' | 'backward') => string;

/** Returns the URL of the page that begins after an object that changed. */
export type LinkAfter = (place: ChangePlace) => string;

const noLink = (): string => '';

/** Returns the response for a reply.
 * @throws HttpError 400, 403, 404, 410 */
export const answerOf = (reply: Reply, link: Link = noLink, linkAfter: LinkAfter = noLink): Answer => {
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
    case 'changes-page': {
      const { from, to, items, next } = reply;
      const links = `"next":${JSON.stringify(next === null ? null : linkAfter(next))}`;
      return { status: 200, body: `{"from":${eventOf(from)},"to":${eventOf(to)},"results":[${items.join(',')}],${links}}` };
    }
    case 'not-found':
      throw notFound();
    case 'forbidden':
      throw forbidden();
    case 'deleted': {
      const { revision, time, event } = reply;
      throw deletedObject({ id: event, revision, time });
    }
    case 'erased':
      throw gone();
    case 'later-part':
    case 'restorable':
    case 'undoable':
    case 'undo-scope':
    case 'place-of-event':
    case 'too-many-changes':
      throw new Error(`${reply.outcome} is no response`);
    case 'invalid-moment':
      throw refusedMoment('Enter a moment: the id of an event, or a time like 2026-06-01T08:00:00.000Z.', reply.of);
    case 'future-moment':
      throw refusedMoment('The moment is in the future.', reply.of);
    case 'reversed-moments':
      throw refusedMoment('Enter a moment that is not after the other one.', 'from');
  }
};

/** Names the event of a moment; null before the account's first event. */
const eventOf = ({ event }: Moment): string => JSON.stringify(event === '' ? null : event);

/** @param of the parameter that has the moment; undefined if the path has it */
const refusedMoment = (text: string, of: 'from' | 'to' | undefined): HttpError =>
  of === undefined ? badRequest(text) : invalidFields({ [of]: [text] });

/** Names the last event that a response as of a moment includes. */
const asOf = (event: string): Pick<Answer, 'headers'> => ({ headers: { 'X-As-Of-Event': event } });
