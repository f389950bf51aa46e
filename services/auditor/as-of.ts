import type { PageQuery } from '@waymark/domain/pages.ts';
import { type ResourceKind, resourceStream } from '@waymark/domain/streams.ts';
import type { Moment } from '@waymark/history/reading/questions.ts';
import { type Call, type Handler, idOf } from '@waymark/http/call.ts';
import { type Collection, pageQuery } from '@waymark/http/paging/paging.ts';
import { openPlaceAsOf, sealPlaceAsOf } from './cursors.ts';
import type { AuditorOptions } from './options.ts';
import { answerOf, type Link } from './replies.ts';

/** Returns the handler that reads one object as of a moment. */
export const objectAsOf =
  ({ ask, base }: AuditorOptions, kind: ResourceKind): Handler =>
  async (call) => {
    const read = { type: 'object', stream: resourceStream(kind, idOf(call)) } as const;
    return answerOf(await ask({ type: 'as-of', account: call.access.account, base, moment: momentIn(call), read }));
  };

/** Returns the handler that reads a page as of a moment. The first page finds the position of the moment; its links keep it. */
export const pageAsOf =
  ({ ask, base, seals }: AuditorOptions, collection: Collection): Handler =>
  async (call) => {
    const { account } = call.access;
    const text = momentIn(call);
    let known: Moment | undefined;
    const open = (cursor: string): PageQuery | undefined => {
      const place = openPlaceAsOf(cursor, text, seals);
      known = place?.moment;
      return place?.query;
    };
    const query = pageQuery(collection, account, call.url, { open });
    const reply = await ask({ type: 'as-of', account, base, moment: known ?? text, read: { type: 'page', query } });
    if (reply.outcome !== 'as-of-page') return answerOf(reply);
    const { moment } = reply;
    const link: Link = (from, direction) => {
      const cursor = sealPlaceAsOf({ query: { ...query, direction, from }, moment }, text, seals);
      return `${base}/audit/v1/as-of/${encodeURIComponent(text)}${collection.path}?cursor=${cursor}`;
    };
    return answerOf(reply, link);
  };

const momentIn = ({ parameters }: Call): string => parameters['moment'] ?? '';
