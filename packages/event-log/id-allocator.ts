import type { NewEvent, RecordedEvent } from '@waymark/domain/event.ts';
import { allocatorStream, type ResourceKind, resourceKinds } from '@waymark/domain/streams.ts';
import { type EventLog, LogUnavailable } from './event-log.ts';
import type { HighestIds } from './facts/facts.ts';
import { readEnd } from './read-stream.ts';
import { newEventId, sealHousekeeping, waymark } from './seal.ts';

/** The number of ids that are reserved at once. A restart loses the rest of them; no id is given out twice. */
const idBlock = 128;
/** The number of ids that a log skips after it was rolled back to a copy: more than could have been given out since. */
const idsSkipped = 1_000_000_000;
/** The number of consecutive conflicts after which a process has to try again later. A conflict means that another writer has reserved ids,
 * which last it for a while. So this is also the number of processes and threads that may safely reserve ids of one sequence at once. */
export const conflictsMax = 32;
/** The number of blocks that a caller may find used up by the callers before it. */
const blocksTriedMax = 8;

/** The content of `IdsReserved`: all ids up to this one are reserved. Stored: never rename. */
type StoredReservation = { readonly through: number };

const toStored = (last: number): StoredReservation => ({ through: last });

/** Creates the event of an allocator's stream that reserves all ids up to this one.
 * @param id of the event, fixed before the first try to append */
export const sealReservation = (id: string, through: number): NewEvent =>
  sealHousekeeping({ id, type: 'IdsReserved', version: 1, content: toStored(through), origin: waymark });

/** Returns the last reserved id, from the last event of an allocator's stream. */
export const reservedThrough = ({ content }: Pick<RecordedEvent, 'content'>): number =>
  content === null ? 0 : (JSON.parse(content) as StoredReservation).through;

/** Gives out ids that no process has given out before. */
export type IdAllocator = { readonly next: (resource: ResourceKind) => Promise<number> };

/** A range of ids that belongs to this process alone. */
type Block = { next: number; readonly through: number };

/** Creates an allocator. Ids come in blocks, each reserved by an event. A crash loses the rest of a block; its ids are never given out. */
export const createIdAllocator = (log: EventLog): IdAllocator => {
  const blocks = new Map<ResourceKind, Block[]>();
  const reserving = new Map<ResourceKind, Promise<void>>();

  const refill = (resource: ResourceKind): Promise<void> => {
    const running = reserving.get(resource);
    if (running) return running;
    const started = reserve(log, resource, idBlock)
      .then((block) => void blocksOf(resource).push(block))
      .finally(() => reserving.delete(resource));
    reserving.set(resource, started);
    return started;
  };

  const blocksOf = (resource: ResourceKind): Block[] => {
    const known = blocks.get(resource) ?? [];
    blocks.set(resource, known);
    return known;
  };

  const take = (resource: ResourceKind): number | undefined => {
    const [first, second] = blocksOf(resource);
    if (first === undefined) return undefined;
    // The next block is reserved in advance, so that no caller waits for it. Only a caller that finds no block at all sees a failure.
    if (second === undefined && first.through - first.next < idBlock / 2) refill(resource).catch(() => undefined);
    const id = first.next++;
    if (first.next > first.through) blocksOf(resource).shift();
    return id;
  };

  return {
    next: async (resource) => {
      for (let attempt = 0; attempt < blocksTriedMax; attempt += 1) {
        const id = take(resource);
        if (id !== undefined) return id;
        await refill(resource);
      }
      throw new LogUnavailable('Too many objects are being created at once.');
    },
  };
};

/** Moves every sequence past all ids that a log could have given out of which this one is an older copy. `known`: the highest ids that
 * other sources know. */
export const skipIds = async (log: EventLog, known: HighestIds): Promise<void> => {
  for (const resource of resourceKinds) await reserve(log, resource, idsSkipped, known[resource]);
};

const reserve = async (log: EventLog, resource: ResourceKind, count: number, known = 0): Promise<Block> => {
  const stream = allocatorStream(resource);
  for (let conflicts = 0; conflicts < conflictsMax; conflicts += 1) {
    const { revision, event } = await readEnd(log, stream);
    const reserved = Math.max(known, event === undefined ? 0 : reservedThrough(event));
    const through = reserved + count;
    const { outcome } = await log.append(stream, [sealReservation(newEventId(), through)], revision);
    if (outcome === 'appended') return { next: reserved + 1, through };
  }
  throw new LogUnavailable('Too many processes reserve ids at the same time.');
};
