import type { Reply } from '@waymark/history/reading/questions.ts';
import type { Answer } from '@waymark/http/call.ts';
import { forbidden, gone, HttpError, notFound } from '@waymark/http/errors.ts';

type Link = (place: number) => string;

const nextOf = ({ next }: { readonly next: number | null }, link: Link): string | null => (next === null ? null : link(next));

/** Returns the response for a reply.
 * @param link returns the URL of the page that continues at a place
 * @throws HttpError 403, 404, 410 */
export const answerOf = (reply: Reply, link: Link = () => ''): Answer => {
  switch (reply.outcome) {
    case 'found':
      return { status: 200, body: reply.text };
    case 'part':
      return { status: 200, body: `${reply.text},"next":${JSON.stringify(nextOf(reply, link))}}` };
    case 'page':
      return { status: 200, body: `{"results":[${reply.items.join(',')}],"next":${JSON.stringify(nextOf(reply, link))}}` };
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
  }
};
