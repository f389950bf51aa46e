import type { HistoryEntry } from '../../entries.ts';
import type { HistoryReads } from '../../history.ts';
import type { ChangePlace } from '../questions.ts';
import { type Changed, type ChangedPart, type Compared, comparePlaces, isAfter } from './changed.ts';
import type { ChangesLimits } from './limits.ts';

/** A search for objects that differ, among those that entries name. */
export type EntrySearch = {
  readonly compared: Compared;
  /** Returns the objects that entries may have changed. The entries are at and before a place, newest first. */
  readonly named: (entries: readonly HistoryEntry[], step: Step) => Promise<Named>;
  /** Returns those that differ, at the place of their last change. */
  readonly differing: (candidates: readonly Candidate[]) => Promise<readonly Changed[]>;
};

/** An object that an entry may have changed. */
export type Candidate = { readonly stream: string; readonly place: ChangePlace };

/** Objects that entries name. `through`: the place beyond which some may be missing, because one entry names many; null if none is. */
export type Named = { readonly candidates: readonly Candidate[]; readonly through: ChangePlace | null };

/** Where a walk is, and how many entries and objects it reads next. */
export type Step = { readonly after: ChangePlace; readonly together: number };

/** Index entries that an entry and an object that it names take: two for the entry, three to compare the object, and four to find whether the
 * pinpoint of an event was present, or to find a member of a list that was restored or deleted. */
const candidateReads = 9;
/** No id is beyond it. */
const anyId = Number.MAX_SAFE_INTEGER;

/** Walks back over an account's entries between two positions. An object that differs is found at its last change, so each is found once. */
export const walkEntries = async (
  reads: HistoryReads,
  search: EntrySearch,
  first: Step,
  limit: number,
  { together: togetherMax, readsMax }: Omit<ChangesLimits, 'membersMax'>,
): Promise<ChangedPart> => {
  const changed: Changed[] = [];
  let { after, together } = first;
  for (let left = readsMax; left > 0; left -= together * candidateReads) {
    const { candidates, next } = await candidatesAfter(reads, search, { after, together });
    const places = new Set(candidates.map(({ place }) => keyOf(place)));
    const found = (await search.differing(candidates)).filter(({ place }) => places.has(keyOf(place)));
    changed.push(...found.toSorted((one, other) => comparePlaces(one.place, other.place)));
    if (changed.length > limit) return { changed: changed.slice(0, limit), next: changed[limit - 1]?.place ?? after };
    if (next === null) return { changed, next };
    after = next;
    together = Math.min(togetherMax, 2 * together);
  }
  return { changed, next: after };
};

const keyOf = ({ position, id }: ChangePlace): string => `${position} ${id}`;

type Candidates = { readonly candidates: readonly Candidate[]; readonly next: ChangePlace | null };

/** Returns the objects that the entries at and before a place name, beyond the place, in the order of places. */
const candidatesAfter = async (reads: HistoryReads, { compared, named }: EntrySearch, { after, together }: Step): Promise<Candidates> => {
  const { account, from } = compared;
  const own = after.id === anyId ? [] : await reads.entriesAtPositions([after.position]);
  const query = { before: after.position, sinceMs: 0, untilMs: null, filter: {}, entries: together, reads: together };
  const earlier = await reads.activity(account, query);
  const entries = [...own, ...earlier.entries].filter(({ position }) => position > from);
  const isEnd = earlier.next === null || earlier.entries.some(({ position }) => position <= from);
  const { candidates: some, through } = await named(entries, { after, together });
  const all = some.filter(({ place }) => isAfter(place, after) && (through === null || !isAfter(place, through)));
  const candidates = all.toSorted((one, other) => comparePlaces(one.place, other.place)).slice(0, together);
  const last = candidates.at(-1);
  if (last && candidates.length < all.length) return { candidates, next: last.place };
  if (through !== null) return { candidates, next: through };
  return { candidates, next: isEnd ? null : { position: entries.at(-1)?.position ?? from, id: anyId } };
};
