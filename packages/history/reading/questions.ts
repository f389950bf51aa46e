import type { PageQuery } from '@waymark/domain/pages.ts';
import type { Position } from '@waymark/event-log/event-log.ts';
import type { ActivityFilter } from '../history.ts';
import type { EventQuestion, EventReply, ScopeQuestion, ScopeReply, UndoQuestion, UndoReply } from './undo/undo-questions.ts';

/** The object that a question is about. */
export type Subject = {
  /** The account of the caller. */
  readonly account: string;
  /** The stream of the object. */
  readonly stream: string;
  /** The public base URL, without a trailing slash. */
  readonly base: string;
};

/** A moment of an account: the position that the reads of it see, and the id of the account's last event up to there; empty where there is
 * none. */
export type Moment = { readonly position: Position; readonly event: string };

/** A read of `/v3.0`. */
export type ContentRead = { readonly type: 'object'; readonly stream: string } | { readonly type: 'page'; readonly query: PageQuery };

/** A question about what was. It is plain data, which can be sent to a thread. */
export type Question =
  | ObjectQuestion
  | ActivityQuestion
  | PeopleQuestion
  | ChangesQuestion
  | LaterActivityQuestion
  | UndoQuestion
  | ScopeQuestion
  | EventQuestion
  /** Asks for a read as of a moment: a text, or the moment that the first page of a walk found. */
  | {
      readonly type: 'as-of';
      readonly account: string;
      readonly base: string;
      readonly moment: string | Moment;
      readonly read: ContentRead;
    };

/** Asks what happened in an account before a place, newest first. */
export type ActivityQuestion = Pick<Subject, 'account' | 'base'> & {
  readonly type: 'activity';
  readonly before: Position;
  /** Entries with an earlier time are left out, in milliseconds since 1970. */
  readonly sinceMs: number;
  /** Entries with a later time are left out; null: none is. */
  readonly untilMs: number | null;
  readonly filter: ActivityFilter;
  readonly limit: number;
};

/** Asks for the actors and the changesets of something that is not in the history. */
export type PeopleQuestion = {
  readonly type: 'people';
  readonly account: string;
  readonly of: readonly { readonly actor: string; readonly correlation: string }[];
};

/** Asks for the objects that differ between two moments, those with the newest change first. Only the first page names the moments by texts. */
export type ChangesQuestion = Pick<Subject, 'account' | 'base'> & {
  readonly type: 'changes';
  readonly from: string | Moment;
  readonly to: string | Moment;
  /** The list whose members are compared; null: all objects of the account are. */
  readonly list: number | null;
  /** The place after which the page begins; null: at the newest change. */
  readonly after: ChangePlace | null;
  readonly limit: number;
};

/** The place of an object among those that changed: the position of its last change, and its id. Higher positions come first, and at one position
 * lower ids. */
export type ChangePlace = { readonly position: Position; readonly id: number };
/** Asks what happened in an account after a place, oldest first. `after`: the `through` of an earlier part; null: only for the present place.
 * `limit`: the number of entries. */
export type LaterActivityQuestion = Omit<ActivityQuestion, 'type' | 'before'> & {
  readonly type: 'later-activity';
  readonly after: Position | null;
};

/** An entry as readers get it. `text`: JSON. */
export type Item = { readonly position: Position; readonly text: string };

/** A question about the history of an object. */
export type ObjectQuestion =
  /** Asks for the entries before a position, newest first. */
  | (Subject & { readonly type: 'history'; readonly before: Position; readonly limit: number })
  | (Subject & { readonly type: 'version'; readonly revision: number })
  | (Subject & { readonly type: 'blame' })
  /** Compares two revisions. `beyond`: of a list, only members with a higher id are compared; `limit`: the number of those that differ. */
  | (Subject & { readonly type: 'diff'; readonly from: number; readonly to: number; readonly beyond: number; readonly limit: number });

/** The response to a question, as far as it does not depend on the process that sends it. */
export type Reply =
  /** `text`: JSON. `event`: the last event that the read sees, if it is one as of a moment. */
  | { readonly outcome: 'found'; readonly text: string; readonly event?: string }
  /** `text`: JSON of an object without its last brace, to which the link to the next part is added. `next`: the place after which that part
   * continues; null at the end. */
  | { readonly outcome: 'part'; readonly text: string; readonly next: number | null }
  /** `items`: JSON texts. `next`: the position before which the next page continues; null at the end. */
  | { readonly outcome: 'page'; readonly items: readonly string[]; readonly next: Position | null }
  /** A part of what happened after a place. `through`: the place after which the next part continues. `isEnd`: nothing is after it. */
  | { readonly outcome: 'later-part'; readonly items: readonly Item[]; readonly through: Position; readonly isEnd: boolean }
  /** A page as of a moment. `next`, `previous`: the id from which the page in that direction continues; null where there is none. */
  | {
      readonly outcome: 'as-of-page';
      readonly items: readonly string[];
      readonly next: number | null;
      readonly previous: number | null;
      readonly moment: Moment;
    }
  /** A page of objects that differ between two moments. `next`: the place after which the next page begins; null at the end. */
  | {
      readonly outcome: 'changes-page';
      readonly items: readonly string[];
      readonly next: ChangePlace | null;
      readonly from: Moment;
      readonly to: Moment;
    }
  | UndoReply
  | ScopeReply
  | EventReply
  /** `of`: the parameter that has the moment, if there are two. */
  | { readonly outcome: 'invalid-moment'; readonly of?: 'from' | 'to' }
  /** The moment is too far ahead of the clock. */
  | { readonly outcome: 'future-moment'; readonly of?: 'from' | 'to' }
  /** The first of two moments is after the second one. */
  | { readonly outcome: 'reversed-moments' }
  | { readonly outcome: 'not-found' }
  | { readonly outcome: 'forbidden' }
  /** The object was deleted by this event. */
  | { readonly outcome: 'deleted'; readonly revision: number; readonly time: string; readonly event: string }
  /** The version was erased. */
  | { readonly outcome: 'erased' }
  /** The changes that are to be undone add and remove more members than `namedMembersMax`. */
  | { readonly outcome: 'too-many-changes' };
