/** The requests to a cluster, its responses, and the facts that the log then has. A judge needs nothing else to check the promises of the
 * cluster. */

export const kinds = ['pinpoints', 'lists', 'categories', 'events'] as const;
export type Kind = (typeof kinds)[number];

/** An object as a response shows it. `value`: the value of its last change, which no other change ever wrote; `place`: the pinpoint of an
 * event. */
export type Seen = { readonly id: number; readonly value: string; readonly pinpoint?: number | undefined };

export type Write =
  | { readonly type: 'create'; readonly kind: Kind; readonly value: string; readonly pinpoint?: number | undefined }
  | { readonly type: 'edit'; readonly kind: Kind; readonly id: number; readonly value: string; readonly pinpoint?: number | undefined }
  | { readonly type: 'delete'; readonly kind: Kind; readonly id: number }
  | { readonly type: 'add' | 'remove'; readonly list: number; readonly pinpoints: readonly number[] };

export type Read =
  | { readonly type: 'one'; readonly kind: Kind; readonly id: number }
  /** All objects of a kind, all members of a list (`of`: the list) or all events at a pinpoint (`of`: the pinpoint), on one page. */
  | { readonly type: 'page'; readonly kind: Kind; readonly of?: number | undefined };

export type Result =
  /** The 2xx of a write. `lag`: reads may not see it yet; `refused`: ids that could not be added. */
  | {
      readonly type: 'done';
      readonly id?: number | undefined;
      readonly lag: boolean;
      readonly etag?: string | undefined;
      readonly refused?: readonly number[] | undefined;
      readonly total?: number | undefined;
    }
  /** The 200 of a read. */
  | { readonly type: 'seen'; readonly objects: readonly Seen[]; readonly etag?: string | undefined }
  /** 404; `pinpoint`: 400, because the pinpoint of an event does not exist. */
  | { readonly type: 'absent'; readonly pinpoint?: boolean }
  /** A 503, 429 or 409 with `Retry-After`, as in the contract: a write may have happened, or may still happen. */
  | { readonly type: 'unavailable'; readonly status: number; readonly what: string }
  /** The connection ended before the response. */
  | { readonly type: 'lost'; readonly what: string }
  /** A response that the contract does not allow. */
  | { readonly type: 'wrong'; readonly what: string };

/** One request. All times are in milliseconds of one clock. */
export type Entry = {
  /** The name of the operation. Requests with the same idempotency key are one operation. */
  readonly operation: string;
  /** The name of its account. */
  readonly account: string;
  readonly requested: Write | Read;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly result: Result;
  /** Whether the request is a read after the cluster came to rest. It must show everything in the log. */
  readonly settled?: boolean;
};

/** One fact of an account in the log. Facts are kept in the order of the log. */
export type Fact = {
  /** The operation that it was recorded for. */
  readonly operation: string | null;
  readonly change:
    | { readonly type: 'created'; readonly kind: Kind; readonly id: number; readonly value: string; readonly pinpoint?: number | undefined }
    | {
        readonly type: 'edited';
        readonly kind: Kind;
        readonly id: number;
        readonly value?: string | undefined;
        readonly pinpoint?: number | undefined;
      }
    | { readonly type: 'deleted'; readonly kind: Kind; readonly id: number }
    | { readonly type: 'added'; readonly list: number; readonly pinpoints: readonly number[]; readonly refused: readonly number[] }
    | { readonly type: 'removed'; readonly list: number; readonly pinpoints: readonly number[] };
};

export const isWrite = (requested: Write | Read): requested is Write => requested.type !== 'one' && requested.type !== 'page';

/** Describes a request for a finding. */
export const described = ({ operation, requested, result }: Entry): string =>
  `${operation} ${JSON.stringify(requested)} → ${JSON.stringify(result)}`;
