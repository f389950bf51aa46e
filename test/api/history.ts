import { bodyOf, type Session } from './session.ts';
import type { Target } from './target.ts';

type Change = { readonly old: unknown; readonly new: unknown };
export type Entry = {
  readonly id: string;
  readonly revision: number | null;
  readonly time: string;
  readonly action: string;
  readonly actor: { readonly kind: string; readonly id: string; readonly name: string | null };
  readonly correlation_id: string;
  readonly cause: string | null;
  readonly as_of: string | null;
  readonly changes?: Readonly<Record<string, Change>> | null;
  readonly members?: { readonly added: readonly number[]; readonly removed: readonly number[] };
  readonly related?: { readonly kind: string; readonly id: number };
};
export type HistoryPage = { readonly results: readonly Entry[]; readonly next: string | null };

/** Returns a session whose token may also read the history. */
export const openAuditor = async (waymark: Target): Promise<Session> =>
  waymark.session(await waymark.application(undefined, ['read', 'write', 'audit']));

/** Returns the first page of an object's history. */
export const historyOf = async (me: Session, kind: string, id: number | string): Promise<readonly Entry[]> =>
  bodyOf<HistoryPage>(await me.get(`/audit/v1/${kind}/${id}/history`), 200).results;

/** Returns the actions of entries, oldest first. */
export const actionsOf = (entries: readonly Entry[]): readonly string[] => entries.map(({ action }) => action).toReversed();
