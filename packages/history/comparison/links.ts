import { align } from './alignment.ts';
import { linkLimits } from './limits.ts';
import type { Link } from './marked-text.ts';

/** `old` is null for a link that was added, `new` for a link that was removed. */
export type LinkChange = { readonly attribute: Link; readonly old: string | null; readonly new: string | null };

type LinkComparison = { readonly changes: readonly LinkChange[]; readonly complete: boolean };

/** Compares the values of an attribute, in the order of the text. */
export const compareLinks = (attribute: Link, old: readonly string[], current: readonly string[]): LinkComparison => {
  const { runs, complete } = align(old, current, (link) => link, linkLimits);
  const changes = runs.filter(({ kept }) => !kept).flatMap((run) => pairs(attribute, run.old, run.new));
  return { changes, complete };
};

/** Pairs the links at the same place. */
const pairs = (attribute: Link, removed: readonly string[], added: readonly string[]): readonly LinkChange[] =>
  Array.from({ length: Math.max(removed.length, added.length) }, (_, nth) => ({
    attribute,
    old: removed[nth] ?? null,
    new: added[nth] ?? null,
  }));
