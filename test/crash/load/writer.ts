import type { Answer } from '../../api/client.ts';
import type { Random } from '../random.ts';
import type { IdBook } from './id-book.ts';
import type { Kind } from './things.ts';
import { nothing, type World } from './world.ts';

/** A request, and what it leads to. */
export type Operation = {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  /** Of its answer. */
  readonly status: number;
  /** What the writer has once it is done. */
  readonly after: World;
  readonly creates?: { readonly kind: Kind; readonly key: string };
};

/** One after the other it changes objects that are its own, and knows what it must have. */
export type Writer = {
  readonly name: string;
  readonly random: Random;
  /** Ids by line, its own and those of what all share. */
  readonly numbers: Map<string, number>;
  readonly ids: IdBook;
  /** What was acknowledged. */
  world: World;
  /** How many keys and versions it has used. */
  used: number;
  /** Sent, and not answered. */
  pending: Operation | undefined;
  /** The last request with an Idempotency-Key that was answered. */
  keyed: { readonly operation: Operation; readonly answer: Answer } | undefined;
  /** Paths of all files that it was told of. */
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
