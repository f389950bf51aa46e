import { allocatorStream, type Numbered, numbered } from '@waymark/domain/streams.ts';
import type { EventLog } from '@waymark/event-log/event-log.ts';
import { reservation, reservedBy } from '@waymark/event-log/id-allocator.ts';
import { newEventId } from '@waymark/event-log/seal.ts';
import { unavailable } from '@waymark/http/problems.ts';
import { attemptsMax, idBlock, idsSkipped } from './limits.ts';

/** Gives out ids that were never given out before, by anybody. */
export type Ids = { readonly next: (resource: Numbered) => Promise<number> };

/** A run of ids that is ours alone. */
type Block = { next: number; readonly through: number };

/** Ids come in blocks, each reserved by an event: a crash loses the rest of a block, and nobody ever gets it. */
export const idsFrom = (log: EventLog): Ids => {
  const blocks = new Map<Numbered, Block[]>();
  const reserving = new Map<Numbered, Promise<void>>();

  const refill = (resource: Numbered): Promise<void> => {
    const running = reserving.get(resource);
    if (running) return running;
    const started = reserve(log, resource, idBlock)
      .then((block) => void blocksOf(resource).push(block))
      .finally(() => reserving.delete(resource));
    reserving.set(resource, started);
    return started;
  };

  const blocksOf = (resource: Numbered): Block[] => {
    const known = blocks.get(resource) ?? [];
    blocks.set(resource, known);
    return known;
  };

  const take = (resource: Numbered): number | undefined => {
    const [first, second] = blocksOf(resource);
    if (first === undefined) return undefined;
    // The next block is fetched beforehand, so that nobody waits for it. A failure shows to whoever finds no block at all.
    if (second === undefined && first.through - first.next < idBlock / 2) refill(resource).catch(() => undefined);
    const id = first.next++;
    if (first.next > first.through) blocksOf(resource).shift();
    return id;
  };

  return {
    next: async (resource) => {
      for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
        const id = take(resource);
        if (id !== undefined) return id;
        await refill(resource);
      }
      throw unavailable('Too many objects are being created at once.');
    },
  };
};

/** The highest id that is known to have been given out, by resource. */
export type HighestIds = Readonly<Record<Numbered, number>>;

/** Moves every sequence past what could have been given out by a log that this one is an older copy of. `known`: what others know of it. */
export const skipIds = async (log: EventLog, known: HighestIds): Promise<void> => {
  for (const resource of numbered) await reserve(log, resource, idsSkipped, known[resource]);
};

const reserve = async (log: EventLog, resource: Numbered, count: number, known = 0): Promise<Block> => {
  const stream = allocatorStream(resource);
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const [expected = 'none'] = await log.last([stream]);
    const [last] = expected === 'none' ? [] : await log.read(stream, expected);
    const reserved = Math.max(known, last === undefined ? 0 : reservedBy(last));
    const through = reserved + count;
    const { outcome } = await log.append(stream, [reservation(newEventId(), through)], expected);
    if (outcome === 'appended') return { next: reserved + 1, through };
  }
  throw unavailable('Ids are being reserved by too many at once.');
};
