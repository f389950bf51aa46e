import type { HistoryEntry } from './entries.ts';
import type { Activity } from './history.ts';

/** Adds entries to a part, as far as they lie in it. */
export const mergedActivity = ({ entries, next }: Activity, others: readonly HistoryEntry[], limit: number): Activity => {
  const all = [...entries, ...others.filter(({ position }) => position >= (next ?? 0))].sort((one, other) => other.position - one.position);
  if (all.length <= limit) return { entries: all, next };
  return { entries: all.slice(0, limit), next: all[limit - 1]?.position ?? null };
};
