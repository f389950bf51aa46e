import type { ResourceKind } from '@waymark/domain/streams.ts';
import type { Position } from '@waymark/event-log/event-log.ts';

/** Ids that imported objects may have: above the first, up to the second; nobody else is given one of them. */
export type Range = {
  readonly floor: number;
  readonly through: number;
  /** The reservation in the allocator's stream: the event's id, and its revision. */
  readonly event: string;
  readonly revision: number;
};
export type Ranges = Readonly<Record<ResourceKind, Range>>;

/** What an export holds, or what is here of it. */
export type Holdings = {
  readonly events: number;
  /** Of them, those whose content was erased. */
  readonly forgotten: number;
  /** Streams of each kind. */
  readonly streams: Readonly<Record<string, number>>;
  /** Of all events, see `createEventDigest`. */
  readonly digest: string;
  /** Files that events name, and those of them that are not in the store. */
  readonly files: number;
  readonly missing: number;
};

export type Comparison = {
  readonly equal: boolean;
  /** False: every event is here, in the order of its stream and after what it depends on, but some others changed places. */
  readonly inOrder: boolean;
  readonly exported: Holdings;
  readonly imported: Holdings;
};

/** What an import has reached, see `ImportState`. `accounts`: those that it has met since the last of these facts. */
type Progress = {
  readonly events: number;
  readonly files: number;
  readonly digest: string;
  readonly sum: string;
  readonly position: Position;
  readonly accounts: readonly string[];
};

/** What an import records of itself, each by an event of its own. */
export type Facts = {
  readonly ImportBegun: { readonly ids: Ranges };
  readonly ImportReached: Progress;
  readonly ImportEnded: { readonly comparison: Comparison };
};

/** Contents of the events `ImportBegun`, `ImportReached` and `ImportEnded`. Stored: never rename. */
type StoredBegun = {
  readonly ids: {
    readonly pinpoint: StoredRange;
    readonly list: StoredRange;
    readonly category: StoredRange;
    readonly happening: StoredRange;
  };
};
type StoredReached = {
  readonly events: number;
  readonly files: number;
  readonly digest: string;
  readonly sum: string;
  readonly position: number;
  readonly accounts: readonly string[];
};
type StoredEnded = {
  readonly comparison: {
    readonly equal: boolean;
    readonly inOrder: boolean;
    readonly exported: StoredHoldings;
    readonly imported: StoredHoldings;
  };
};
type StoredRange = { readonly floor: number; readonly through: number; readonly event: string; readonly revision: number };
type StoredHoldings = {
  readonly events: number;
  readonly forgotten: number;
  readonly streams: Readonly<Record<string, number>>;
  readonly digest: string;
  readonly files: number;
  readonly missing: number;
};

/** The type and the content of the event that states a fact. */
export const toStored = (fact: Partial<Facts>): readonly [type: string, content: StoredBegun | StoredReached | StoredEnded] => {
  if (fact.ImportBegun) return ['ImportBegun', toStoredBegun(fact.ImportBegun.ids)];
  if (fact.ImportReached) return ['ImportReached', toStoredReached(fact.ImportReached)];
  if (fact.ImportEnded) return ['ImportEnded', toStoredEnded(fact.ImportEnded.comparison)];
  throw new Error('There is no fact to record.');
};

/** No fact where the event is of another type. */
export const fromStored = (type: string, content: string): Partial<Facts> => {
  switch (type) {
    case 'ImportBegun':
      return { ImportBegun: { ids: fromStoredBegun(JSON.parse(content)) } };
    case 'ImportReached':
      return { ImportReached: fromStoredReached(JSON.parse(content)) };
    case 'ImportEnded':
      return { ImportEnded: { comparison: fromStoredEnded(JSON.parse(content)) } };
    default:
      return {};
  }
};

const toStoredBegun = (ids: Ranges): StoredBegun => ({
  ids: {
    pinpoint: toStoredRange(ids.pinpoint),
    list: toStoredRange(ids.list),
    category: toStoredRange(ids.category),
    happening: toStoredRange(ids.happening),
  },
});
const fromStoredBegun = ({ ids }: StoredBegun): Ranges => ({
  pinpoint: fromStoredRange(ids.pinpoint),
  list: fromStoredRange(ids.list),
  category: fromStoredRange(ids.category),
  happening: fromStoredRange(ids.happening),
});

const toStoredReached = (progress: Progress): StoredReached => ({
  events: progress.events,
  files: progress.files,
  digest: progress.digest,
  sum: progress.sum,
  position: progress.position,
  accounts: progress.accounts,
});
const fromStoredReached = (stored: StoredReached): Progress => ({
  events: stored.events,
  files: stored.files,
  digest: stored.digest,
  sum: stored.sum,
  position: stored.position,
  accounts: stored.accounts,
});

const toStoredEnded = (comparison: Comparison): StoredEnded => ({
  comparison: {
    equal: comparison.equal,
    inOrder: comparison.inOrder,
    exported: toStoredHoldings(comparison.exported),
    imported: toStoredHoldings(comparison.imported),
  },
});
const fromStoredEnded = ({ comparison }: StoredEnded): Comparison => ({
  equal: comparison.equal,
  inOrder: comparison.inOrder,
  exported: fromStoredHoldings(comparison.exported),
  imported: fromStoredHoldings(comparison.imported),
});

const toStoredRange = (range: Range): StoredRange => ({
  floor: range.floor,
  through: range.through,
  event: range.event,
  revision: range.revision,
});
const fromStoredRange = (stored: StoredRange): Range => ({
  floor: stored.floor,
  through: stored.through,
  event: stored.event,
  revision: stored.revision,
});

const toStoredHoldings = (holdings: Holdings): StoredHoldings => ({
  events: holdings.events,
  forgotten: holdings.forgotten,
  streams: holdings.streams,
  digest: holdings.digest,
  files: holdings.files,
  missing: holdings.missing,
});
const fromStoredHoldings = (stored: StoredHoldings): Holdings => ({
  events: stored.events,
  forgotten: stored.forgotten,
  streams: stored.streams,
  digest: stored.digest,
  files: stored.files,
  missing: stored.missing,
});
