import type { ResourceKind } from '@waymark/domain/streams.ts';
import type { Position } from '@waymark/event-log/event-log.ts';

/** The ids that imported objects may have: above `floor`, up to and including `through`. The cluster itself gives out none of them. */
export type Range = {
  readonly floor: number;
  readonly through: number;
  /** The reservation in the allocator's stream: the id of the event, and its revision. */
  readonly event: string;
  readonly revision: number;
};
export type Ranges = Readonly<Record<ResourceKind, Range>>;

/** The counts of an export, or of the imported part of it. */
export type Holdings = {
  readonly events: number;
  /** The number of events whose content was erased. */
  readonly forgotten: number;
  /** The number of streams of each kind. */
  readonly streams: Readonly<Record<string, number>>;
  /** The digest of all events; see `createEventDigest`. */
  readonly digest: string;
  /** The number of files that events name, and the number of those that are not in the store. */
  readonly files: number;
  readonly missing: number;
};

export type Comparison = {
  /** Whether every stream and file is as in the export. */
  readonly equal: boolean;
  /** Whether the events of each account are in the order of the export. Releases before 0.3.0 changed the order of unrelated events. */
  readonly inOrder: boolean;
  readonly exported: Holdings;
  readonly imported: Holdings;
};

/** The progress of an import; see `ImportState`. `accounts`: the new accounts since the last recorded progress. */
type Progress = {
  readonly events: number;
  readonly files: number;
  readonly digest: string;
  readonly sum: string;
  readonly position: Position;
  readonly accounts: readonly string[];
};

/** The facts that an import records about itself, each in its own event. */
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

/** Returns the type and the content of the event for a fact. */
export const toStored = (fact: Partial<Facts>): readonly [type: string, content: StoredBegun | StoredReached | StoredEnded] => {
  if (fact.ImportBegun) return ['ImportBegun', toStoredBegun(fact.ImportBegun.ids)];
  if (fact.ImportReached) return ['ImportReached', toStoredReached(fact.ImportReached)];
  if (fact.ImportEnded) return ['ImportEnded', toStoredEnded(fact.ImportEnded.comparison)];
  throw new Error('There is no fact to record.');
};

/** Returns no fact for an event of another type. */
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
