import type { HistoryEntry } from '../../entries.ts';
import type { ActivityFilter, HistoryReads } from '../../history.ts';
import type { EventQuestion, EventReply, ScopeQuestion, ScopeReply, UndoScope } from './undo-questions.ts';

/** Entries that are compared with a scope at most: then the part ends early. */
const readsMax = 50_000;

/** Returns a part of the changes in a scope. */
export const undoScope = async (reads: HistoryReads, { account, scope, before, limit }: ScopeQuestion): Promise<ScopeReply> => {
  const { sinceMs, untilMs, through } = scope;
  const query = { before, sinceMs, untilMs, filter: filterOf(scope), entries: limit, reads: readsMax };
  const { entries, next } = await reads.activity(account, query);
  const changes = entries
    .filter(({ position }) => position <= through)
    .map(({ event, stream, revision, actor, time, cause }) => ({ event, stream, revision, actor, time, cause }));
  return { outcome: 'undo-scope', changes, next };
};

/** Returns the place of an event of an account, or of its last one. */
export const placeOfEvent = async (reads: HistoryReads, { account, event }: EventQuestion): Promise<EventReply> => {
  const entry = event === null ? await lastOf(reads, account) : await reads.entryOf(event);
  const isOwn = entry?.account === account;
  return { outcome: 'place-of-event', place: isOwn ? { event: entry.event, position: entry.position } : undefined };
};

const lastOf = async (reads: HistoryReads, account: string): Promise<HistoryEntry | undefined> => {
  const query = { before: Number.MAX_SAFE_INTEGER, sinceMs: 0, untilMs: null, filter: {}, entries: 1, reads: 1 };
  return (await reads.activity(account, query)).entries[0];
};

const filterOf = ({ correlation, application }: UndoScope): ActivityFilter => ({
  ...(correlation === null ? {} : { correlation }),
  ...(application === null ? {} : { actor: application }),
});

/** Returns whether an entry is in a scope. */
export const isInScope = (entry: HistoryEntry, { correlation, application, sinceMs, untilMs, through }: UndoScope): boolean =>
  entry.position <= through &&
  entry.clockMs >= sinceMs &&
  (untilMs === null || entry.clockMs <= untilMs) &&
  (correlation === null || entry.correlation === correlation) &&
  (application === null || entry.actor === application);
