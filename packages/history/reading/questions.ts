import type { Position } from '@waymark/event-log/event-log.ts';

/** The object that a question is about. */
export type Subject = {
  /** The account of the caller. */
  readonly account: string;
  /** The stream of the object. */
  readonly stream: string;
  /** The public base URL, without a trailing slash. */
  readonly base: string;
};

/** A question about the history of an object. It is plain data, which can be sent to a thread. */
export type Question =
  /** Asks for the entries before a position, newest first. */
  | (Subject & { readonly type: 'history'; readonly before: Position; readonly limit: number })
  | (Subject & { readonly type: 'version'; readonly revision: number })
  | (Subject & { readonly type: 'blame' })
  /** Compares two revisions. `beyond`: of a list, only members with a higher id are compared; `limit`: the number of those that differ. */
  | (Subject & { readonly type: 'diff'; readonly from: number; readonly to: number; readonly beyond: number; readonly limit: number });

/** The response to a question, as far as it does not depend on the process that sends it. */
export type Reply =
  /** `text`: JSON. */
  | { readonly outcome: 'found'; readonly text: string }
  /** `text`: JSON of an object without its last brace, to which the link to the next part is added. `next`: the place after which that part
   * continues; null at the end. */
  | { readonly outcome: 'part'; readonly text: string; readonly next: number | null }
  /** `items`: JSON texts. `next`: the position before which the next page continues; null at the end. */
  | { readonly outcome: 'page'; readonly items: readonly string[]; readonly next: Position | null }
  | { readonly outcome: 'not-found' }
  | { readonly outcome: 'forbidden' }
  /** The object was deleted by this event. */
  | { readonly outcome: 'deleted'; readonly revision: number; readonly time: string; readonly event: string }
  /** The version was erased. */
  | { readonly outcome: 'erased' };
