import type { HistoryEntry } from '../../entries.ts';
import type { HistoryReads } from '../../history.ts';
import { fieldValues } from '../field-values.ts';

/** What changes of an object did, as far as the entries of the changes, and those before each of them, show it. */
export type ChangedState = {
  /** The id of the event of the first change. */
  readonly event: string;
  /** The fields that the changes set, by name. */
  readonly fields: ReadonlyMap<string, ChangedField>;
  /** The last change that created the object, deleted it or brought it back. */
  readonly toggle: Toggle | undefined;
  /** Whether the changes created the object or brought it back, and others have changed it before the last of them. */
  readonly isShared: boolean;
  /** The changes that may have added or removed members. */
  readonly memberships: readonly HistoryEntry[];
};

type ChangedField = {
  /** The last of the changes that set the field. */
  readonly last: number;
  /** The last revision before it that set the field and is none of the changes; undefined if there is none. */
  readonly before: number | undefined;
  /** Whether one of the changes gave it another value. */
  readonly isOther: boolean;
};

type Toggle = {
  readonly entry: HistoryEntry;
  /** Whether the object was present before that change, and before those changes that directly precede it. */
  readonly before: boolean;
  /** The number of later changes among those to undo. */
  readonly ownLater: number;
};

/** Changes whose entries are read at once. */
const changesTogether = 100;

/** Walks over changes of an object. It costs no more than their number, however long the object's history is.
 * @param revisions of the changes, in ascending order; what a job has appended is among them
 * @param cause that of the events of the job */
export const walkChanges = async (
  reads: HistoryReads,
  stream: string,
  revisions: readonly number[],
  cause: string | undefined,
): Promise<ChangedState> => {
  const own = new Set(revisions);
  const fields = new Map<string, ChangedField>();
  const memberships: HistoryEntry[] = [];
  let event: string | undefined;
  let toggle: Omit<Toggle, 'ownLater'> | undefined;
  let [wasPresent, isShared] = [false, false];
  /** Whether the last change that created the object, deleted it or brought it back left it present. */
  let isOwnPresence = false;
  for await (const { earlier, entry } of pairsIn(reads, stream, revisions)) {
    event ??= entry.event;
    if (!own.has(entry.revision - 1)) {
      wasPresent = earlier?.present ?? false;
      // What the job has appended comes after all changes that it undoes.
      if (entry.cause !== cause) isShared = wasPresent && isOwnPresence;
    }
    if (entry.present !== (earlier?.present ?? false)) {
      isOwnPresence = entry.present;
      // A deletion that the changes have taken back themselves is none.
      toggle = entry.present && wasPresent ? undefined : { entry, before: wasPresent };
    }
    if (/^Pinpoints(Added|Removed)$/.test(entry.type)) memberships.push(entry);
    const set = Object.keys(entry.origins).filter((name) => entry.origins[name] === entry.revision);
    const others = set.length > 0 && entry.type.endsWith('Restored') ? await changedBy(reads, earlier, entry) : undefined;
    for (const name of set) {
      const [known, origin] = [fields.get(name), earlier?.origins[name]];
      const before = origin !== undefined && own.has(origin) ? known?.before : origin;
      fields.set(name, { last: entry.revision, before, isOther: known?.isOther === true || (others?.has(name) ?? true) });
    }
  }
  const ownLater = toggle === undefined ? 0 : revisions.length - revisions.indexOf(toggle.entry.revision) - 1;
  return { event: event ?? '', fields, toggle: toggle && { ...toggle, ownLater }, isShared, memberships };
};

type Pair = { readonly earlier: HistoryEntry | undefined; readonly entry: HistoryEntry };

/** Yields the entries at some revisions, each with the one before it. */
async function* pairsIn(reads: HistoryReads, stream: string, revisions: readonly number[]): AsyncGenerator<Pair> {
  for (let from = 0; from < revisions.length; from += changesTogether) {
    const some = revisions.slice(from, from + changesTogether);
    const wanted = new Set(some.flatMap((revision) => (revision === 0 ? [revision] : [revision - 1, revision])));
    const entries = new Map((await reads.entriesAt(stream, [...wanted])).map((entry) => [entry.revision, entry]));
    for (const revision of some) {
      const entry = entries.get(revision);
      if (entry !== undefined) yield { earlier: entries.get(revision - 1), entry };
    }
  }
}

/** Returns the names of the fields whose values an event changed that set them all. */
const changedBy = async (
  reads: HistoryReads,
  earlier: HistoryEntry | undefined,
  entry: HistoryEntry,
): Promise<ReadonlySet<string> | undefined> => {
  if (earlier === undefined) return undefined;
  const [was, is] = await Promise.all([fieldValues(reads, earlier), fieldValues(reads, entry)]);
  return new Set(Object.keys(is).filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name])));
};
