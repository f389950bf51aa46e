/** What was asked of a cluster and what it answered, and what the log has by then: all that is needed to say whether it kept its promises. */

export const kinds = ['pinpoints', 'lists', 'categories', 'events'] as const;
export type Kind = (typeof kinds)[number];

/** An object as an answer shows it. `value`: what its last change wrote, which no other change ever wrote; `place`: an event's pinpoint. */
export type Seen = { readonly id: number; readonly value: string; readonly place?: number | undefined };

export type Write =
  | { readonly type: 'create'; readonly kind: Kind; readonly value: string; readonly place?: number | undefined }
  | { readonly type: 'edit'; readonly kind: Kind; readonly id: number; readonly value: string; readonly place?: number | undefined }
  | { readonly type: 'delete'; readonly kind: Kind; readonly id: number }
  | { readonly type: 'add' | 'remove'; readonly list: number; readonly pinpoints: readonly number[] };

export type Read =
  | { readonly type: 'one'; readonly kind: Kind; readonly id: number }
  /** All of a kind, of a list's members (`of`: the list) or of a pinpoint's events (`of`: the pinpoint), on one page. */
  | { readonly type: 'page'; readonly kind: Kind; readonly of?: number | undefined };

export type Result =
  /** A write's 2xx. `lag`: it says that reads may not see it yet; `refused`: ids that could not be added. */
  | {
      readonly type: 'done';
      readonly id?: number | undefined;
      readonly lag: boolean;
      readonly etag?: string | undefined;
      readonly refused?: readonly number[] | undefined;
      readonly total?: number | undefined;
    }
  /** A read's 200. */
  | { readonly type: 'seen'; readonly things: readonly Seen[]; readonly etag?: string | undefined }
  /** 404; `place`: 400, because the pinpoint is not there that an event is to take place at. */
  | { readonly type: 'absent'; readonly place?: boolean }
  /** The contract's 503, 429 or 409 with `Retry-After`: a write may have happened, or may still. */
  | { readonly type: 'unavailable'; readonly status: number }
  /** The connection ended before the answer. */
  | { readonly type: 'lost'; readonly what: string }
  /** Nothing that the contract knows. */
  | { readonly type: 'wrong'; readonly what: string };

/** One request. Times are of one clock, in milliseconds. */
export type Entry = {
  /** What is sent again, under one idempotency key, is one operation. */
  readonly operation: string;
  /** Its account's name. */
  readonly account: string;
  readonly asked: Write | Read;
  readonly begunMs: number;
  readonly endedMs: number;
  readonly result: Result;
  /** A read after everything came to rest: it has to show all that the log has. */
  readonly settled?: boolean;
};

/** What the log has of an account, in its order. */
export type Fact = {
  /** The operation that it was recorded for. */
  readonly operation: string | null;
  readonly change:
    | { readonly type: 'created'; readonly kind: Kind; readonly id: number; readonly value: string; readonly place?: number | undefined }
    | {
        readonly type: 'edited';
        readonly kind: Kind;
        readonly id: number;
        readonly value?: string | undefined;
        readonly place?: number | undefined;
      }
    | { readonly type: 'deleted'; readonly kind: Kind; readonly id: number }
    | { readonly type: 'added'; readonly list: number; readonly pinpoints: readonly number[]; readonly refused: readonly number[] }
    | { readonly type: 'removed'; readonly list: number; readonly pinpoints: readonly number[] };
};

export const isWrite = (asked: Write | Read): asked is Write => asked.type !== 'one' && asked.type !== 'page';

/** In words, for findings. */
export const described = ({ operation, asked, result }: Entry): string =>
  `${operation} ${JSON.stringify(asked)} → ${JSON.stringify(result)}`;
