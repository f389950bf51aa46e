import type { Redis } from 'ioredis';
import { type Announcement, type Announcements, announcementsMax } from './announcements.ts';

/** Longer messages are none of ours. */
const messageCharactersMax = 64 * 1_024;
/** A subscribed connection is asked for a sign of life this often: on one that broke without a word nothing is missed. */
const signOfLifeMs = 5_000;

export type RedisAnnouncementsOptions = {
  /** Its error listener and its closing are its owner's business. Publishing and listening share it (RESP3: Redis 6 and later). */
  readonly redis: Redis;
  /** What the channel's name begins with. */
  readonly prefix: string;
};

/** Announcements over Redis pub/sub. While Redis is away there are none. */
export const redisAnnouncements = ({ redis, prefix }: RedisAnnouncementsOptions): Announcements & { readonly close: () => void } => {
  const channel = `${prefix}:positions`;
  const listeners = new Set<(announcements: readonly Announcement[]) => void>();
  let signsOfLife: NodeJS.Timeout | undefined;

  const hear = (from: string, message: string): void => {
    if (from !== channel) return;
    const announcements = parsed(message);
    if (announcements.length > 0) for (const listener of listeners) listener(announcements);
  };
  // A command to a connection that is not there is refused, not kept: `ready` comes again with each connection.
  const listen = (): void => {
    if (redis.status === 'ready') redis.subscribe(channel).catch(() => undefined);
  };
  const askForLife = (): void => {
    if (redis.status === 'ready') redis.ping().catch(() => undefined);
  };
  const start = (): void => {
    redis.on('message', hear).on('ready', listen);
    listen();
    signsOfLife = setInterval(askForLife, signOfLifeMs).unref();
  };
  const stop = (): void => {
    redis.off('message', hear).off('ready', listen);
    clearInterval(signsOfLife);
    if (redis.status === 'ready') redis.unsubscribe(channel).catch(() => undefined);
  };

  return {
    publish: (announcements) => {
      for (let from = 0; from < announcements.length; from += announcementsMax) {
        const some = announcements.slice(from, from + announcementsMax);
        redis.publish(channel, JSON.stringify(some.map(asRow))).catch(() => undefined);
      }
    },
    subscribe: (listener) => {
      // A function of its own: who listens twice hears twice.
      const own = (announcements: readonly Announcement[]) => listener(announcements);
      if (listeners.size === 0) start();
      listeners.add(own);
      return () => {
        if (listeners.delete(own) && listeners.size === 0) stop();
      };
    },
    close: () => {
      if (listeners.size > 0) stop();
      listeners.clear();
    },
  };
};

const asRow = ({ generation, partition, position }: Announcement) => [generation, partition, position] as const;

/** Anybody may write to a channel: what is no list of announcements is none. */
const parsed = (message: string): readonly Announcement[] => {
  if (message.length > messageCharactersMax) return [];
  try {
    const rows: unknown = JSON.parse(message);
    return Array.isArray(rows) ? rows.slice(0, announcementsMax).flatMap(announcementOf) : [];
  } catch {
    return [];
  }
};

const announcementOf = (row: unknown): readonly Announcement[] => {
  if (!Array.isArray(row)) return [];
  const [generation, partition, position] = row as readonly unknown[];
  const isOne = typeof generation === 'string' && Number.isSafeInteger(partition) && Number.isSafeInteger(position);
  return isOne ? [{ generation, partition: partition as number, position: position as number }] : [];
};
