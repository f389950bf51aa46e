import { partitionOf } from '@waymark/domain/partitions.ts';
import { type ResourceKind, resourceKinds } from '@waymark/domain/streams.ts';
import { LRUCache } from 'lru-cache';
import type { Document, ReadModels, ReadPosition } from './read-models.ts';

export type DocumentCacheOptions = {
  /** That the accounts are spread over. */
  readonly partitions: number;
  /** Of the process: what is kept takes a part of it. */
  readonly memoryBytes?: number;
  readonly now?: () => number;
};

/** Characters of all documents together: an eighth of the process's memory where each takes two bytes, and no more than these. */
const memoryPart = 1 / 16;
const charactersMax = 64 * 1024 * 1024;
const accountsMax = 20_000;
/** What a document is counted for beside its text. */
const frameCharacters = 300;
/** In a partition that has just moved, nothing is asked twice: documents are read as if there were no cache. */
const unsettledMs = 100;

/** A document, and where its partition stood when it was read. */
type Entry = { readonly document: Document; readonly partition: number; readonly stands: ReadPosition };

/** A position that a partition was seen at without a break from one look on. */
type Sighting = { readonly stands: ReadPosition; readonly since: number };

/** Read models of one generation whose single documents are kept in memory. What is kept is given only where a look at its partition's
 * position, begun within the same call, finds it where it was when the document was read: positions only rise, and nothing of a partition
 * changes unless its position does. */
export const createDocumentCache = (models: ReadModels, options: DocumentCacheOptions): ReadModels => {
  const { partitions, memoryBytes = Number.POSITIVE_INFINITY, now = () => performance.now() } = options;
  const kept = keptByKind(Math.min(charactersMax, memoryBytes * memoryPart));
  const partitionFor = remembered(partitions);
  const sightings = new Map<number, Sighting>();
  const movedAtMs = new Map<number, number>();
  /** Counts what begins and ends here, to tell what came before what. */
  let clock = 0;

  const look = async (partition: number): Promise<ReadPosition> => {
    const stands = await models.position(partition);
    const seen = sightings.get(partition);
    clock += 1;
    // An answer that was overtaken on its way tells nothing.
    if (!seen || !isSame(seen.stands, stands)) sightings.set(partition, { stands, since: clock });
    return stands;
  };

  const keep = (kind: ResourceKind, document: Document, begun: number): void => {
    const partition = partitionFor(document.account);
    const seen = sightings.get(partition);
    if (seen === undefined) void look(partition).catch(() => undefined);
    // It stood there before the document was read; where it still stands there when the document is asked for, it did so all the time.
    else if (seen.since <= begun) kept[kind].set(document.id, { document, partition, stands: seen.stands });
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
      if (isSame(await look(entry.partition), entry.stands)) return entry.document;
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
  return { pinpoint: cache(), list: cache(), category: cache(), happening: cache() };
};

/** Of an account: without a hash for each document. */
const remembered = (partitions: number): ((account: string) => number) => {
  const known = new LRUCache<string, number>({ max: accountsMax });
  return (account) => {
    const partition = known.get(account) ?? partitionOf(account, partitions);
    known.set(account, partition);
    return partition;
  };
};
