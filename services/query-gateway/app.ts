import type { Answer, Handler, Routes } from '@waymark/http/call.ts';
import { idOf } from '@waymark/http/call.ts';
import { type EntityTags, isCurrent } from '@waymark/http/conditional-requests.ts';
import { forbidden, notFound } from '@waymark/http/errors.ts';
import { whenKnown } from '@waymark/http/known.ts';
import type { Cursors } from '@waymark/http/paging/cursors.ts';
import { type Collection, collections, pageQuery, pageText } from '@waymark/http/paging/paging.ts';
import type { ReadModels } from '@waymark/read-models/read-models.ts';

export { mediaRoute } from './media.ts';

export type GatewayOptions = {
  readonly models: ReadModels;
  readonly tags: EntityTags;
  readonly cursors: Cursors;
  /** The public base URL, without a trailing slash. */
  readonly base: string;
  /** Completes the file references of a response's text with the public base URL. */
  readonly complete: (text: string) => string;
};

/** Returns all routes that read content: objects and pages of objects. */
export const gatewayRoutes = (options: GatewayOptions): Routes => ({
  'GET /pinpoints/:id': one(options, 'pinpoint'),
  'GET /pinpoints': page(options, collections.pinpoint),
  'GET /lists/:id': one(options, 'list'),
  'GET /lists': page(options, collections.list),
  'GET /categories/:id': one(options, 'category'),
  'GET /categories': page(options, collections.category),
  'GET /events/:id': one(options, 'happening'),
  'GET /events': page(options, collections.happening),
});

const one =
  ({ models, tags, complete }: GatewayOptions, kind: Collection['kind']): Handler =>
  (call) =>
    whenKnown(models.find(kind, idOf(call)), (document): Answer => {
      if (document === undefined || !document.shown) throw notFound();
      if (document.account !== call.access.account) throw forbidden();
      const headers = { ETag: tags(document.revision) };
      if (isCurrent(call.request, headers.ETag)) return { status: 304, headers };
      return { status: 200, body: complete(document.text), headers };
    });

const page =
  ({ models, cursors, base, complete }: GatewayOptions, collection: Collection): Handler =>
  (call) => {
    const query = pageQuery(collection, call.access.account, call.url, cursors);
    return whenKnown(models.page(query), (found): Answer => {
      return { status: 200, body: complete(pageText(collection, query, found, base, cursors)) };
    });
  };
