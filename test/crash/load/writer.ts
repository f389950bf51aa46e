import type { Answer } from '../../api/client.ts';
import type { Random } from '../random.ts';
import type { IdBook } from './id-book.ts';
import type { Kind } from './things.ts';
import { nothing, type World } from './world.ts';

/** A request, and the content that is expected after it. */
export type Operation = {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  /** The expected status of the response. */
  readonly status: number;
  /** The writer's content once the request is executed. */
  readonly after: World;
  readonly creates?: { readonly kind: Kind; readonly key: string };
};

/** A client that changes its own objects, one request at a time, and keeps track of the content that it must have. */
export type Writer = {
  readonly name: string;
  readonly random: Random;
  /** Object ids by content line, for its own objects and the shared ones. */
  readonly numbers: Map<string, number>;
  readonly ids: IdBook;
  /** The acknowledged content. */
  world: World;
  /** The number of keys and versions that the writer has used. */
  used: number;
  /** The operation that was sent and not answered. */
  pending: Operation | undefined;
  /** The last answered request with an Idempotency-Key. */
  keyed: { readonly operation: Operation; readonly answer: Answer } | undefined;
  /** The paths of all files that responses named. */
  readonly files: Set<string>;
  acknowledged: number;
};

export const writerNamed = (name: string, random: Random, ids: IdBook, shared: ReadonlyMap<string, number>): Writer => ({
  name,
  random,
  numbers: new Map(shared),
  ids,
  world: nothing,
  used: 0,
  pending: undefined,
  keyed: undefined,
  files: new Set(),
  acknowledged: 0,
});
