import { createCache } from '@waymark/caches/cache.ts';
import { partitionOf } from '@waymark/domain/partitions.ts';
import { byResourceKind, type ResourceKind, resourceKinds } from '@waymark/domain/streams.ts';
import { LRUCache } from 'lru-cache';
import type { Document, ReadModels, ReadPosition } from './read-models.ts';

export type DocumentCacheOptions = {
  /** The number of partitions that the accounts are spread over. */
  readonly partitions: number;
  /** The memory of the process. The cache uses a part of it. */
  readonly memoryBytes?: number;
  readonly now?: () => number;
};

/** The limit on the characters of all documents together: an eighth of the process's memory at two bytes for each character, and at most
 * `charactersMax`. */
const memoryPart = 1 / 16;
const charactersMax = 64 * 1024 * 1024;
const accountsMax = 20_000;
/** Characters that are added to the text of each document for its overhead. */
const frameCharacters = 300;
/** How long a partition counts as changing after it moved. Its documents are then read without the cache, so that no request makes two
 * queries. */
const unsettledMs = 100;

/** A document, and the position of its partition when it was read. */
type Entry = { readonly document: Document; readonly partition: number; readonly position: ReadPosition };

/** A position at which a partition has been observed without interruption since a value of `clock`. */
type Observation = { readonly position: ReadPosition; readonly since: number };

/** Creates read models of one generation that keep single documents in memory. A document is returned from memory only if a position check,
 * begun within the same call, finds its partition at the position at which the document was read: positions only rise, and nothing of a
 * partition changes unless its position does. */
export const createDocumentCache = (models: ReadModels, options: DocumentCacheOptions): ReadModels => {
  const { partitions, memoryBytes = Number.POSITIVE_INFINITY, now = () => performance.now() } = options;
  const kept = keptByKind(Math.min(charactersMax, memoryBytes * memoryPart));
  const partitionFor = cachedPartitionOf(partitions);
  const sightings = new Map<number, Observation>();
  const movedAtMs = new Map<number, number>();
  /** Counts the starts and ends of queries, to order them. */
  let clock = 0;

  const observePosition = async (partition: number): Promise<ReadPosition> => {
    const position = await models.position(partition);
    const seen = sightings.get(partition);
    clock += 1;
    // A delayed answer may hold an older position. It counts as a new observation and proves nothing about the time before.
    if (!seen || !isSame(seen.position, position)) sightings.set(partition, { position, since: clock });
    return position;
  };

  const keep = (kind: ResourceKind, document: Document, begun: number): void => {
    const partition = partitionFor(document.account);
    const seen = sightings.get(partition);
    if (seen === undefined) void observePosition(partition).catch(() => undefined);
    // The partition was at this position before the document was read. If it is still there when the document is requested, it was there
    // all the time.
    else if (seen.since <= begun) kept[kind].set(document.id, { document, partition, position: seen.position });
  };

  const read = async (kind: ResourceKind, id: number): Promise<Document | undefined> => {
    clock += 1;
    const begun = clock;
    const document = await models.find(kind, id);
    if (document !== undefined) keep(kind, document, begun);
    return document;
  };

  return {
    ...models,
    find: async (kind, id) => {
      const entry = kept[kind].get(id);
      if (entry === undefined || now() - (movedAtMs.get(entry.partition) ?? Number.NEGATIVE_INFINITY) < unsettledMs) return read(kind, id);
      if (isSame(await observePosition(entry.partition), entry.position)) return entry.document;
      movedAtMs.set(entry.partition, now());
      return read(kind, id);
    },
  };
};

const isSame = (one: ReadPosition, other: ReadPosition): boolean =>
  one.position === other.position && one.event === other.event && one.incarnation === other.incarnation;

const keptByKind = (characters: number): Readonly<Record<ResourceKind, LRUCache<number, Entry>>> => {
  const cache = () =>
    new LRUCache<number, Entry>({
      maxSize: Math.ceil(characters / resourceKinds.length),
      sizeCalculation: ({ document }) => frameCharacters + document.text.length + (document.file?.length ?? 0),
    });
  return byResourceKind(cache);
};

/** Returns the partition of an account, without a hash for each document. */
const cachedPartitionOf = (partitions: number): ((account: string) => number) => {
  const known = createCache<string, number>(accountsMax);
  return (account) => {
    const partition = known.get(account) ?? partitionOf(account, partitions);
    known.set(account, partition);
    return partition;
  };
};
