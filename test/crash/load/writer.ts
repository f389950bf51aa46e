import type { Answer } from '../../api/client.ts';
import type { Random } from '../random.ts';
import { type ExpectedContent, nothing } from './expected-content.ts';
import type { IdRegistry } from './id-book.ts';
import type { Kind } from './objects.ts';

/** A request, and the content that is expected after it. */
export type Operation = {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  /** The expected status of the response. */
  readonly status: number;
  /** The writer's content once the request is executed. */
  readonly after: ExpectedContent;
  readonly creates?: { readonly kind: Kind; readonly key: string };
};

/** A client that changes its own objects, one request at a time, and keeps track of the content that it must have. */
export type Writer = {
  readonly name: string;
  readonly random: Random;
  /** Object ids by content line, for its own objects and the shared ones. */
  readonly idsByLine: Map<string, number>;
  readonly ids: IdRegistry;
  /** The acknowledged content. */
  content: ExpectedContent;
  /** The number of keys and versions that the writer has used. */
  keysUsed: number;
  /** The operation that was sent and not answered. */
  pending: Operation | undefined;
  /** The last answered request with an Idempotency-Key. */
  lastKeyedRequest: { readonly operation: Operation; readonly answer: Answer } | undefined;
  /** The paths of all files that responses named. */
  readonly files: Set<string>;
  acknowledged: number;
};

export const writerNamed = (name: string, random: Random, ids: IdRegistry, shared: ReadonlyMap<string, number>): Writer => ({
  name,
  random,
  idsByLine: new Map(shared),
  ids,
  content: nothing,
  keysUsed: 0,
  pending: undefined,
  lastKeyedRequest: undefined,
  files: new Set(),
  acknowledged: 0,
});
