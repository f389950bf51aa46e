import type { Signer } from '@waymark/signing/signer.ts';
import type { Redis } from 'ioredis';
import { type Announcement, type Announcements, announcementsMax } from '../announcements.ts';

/** The maximum length of a message. Longer ones are ignored. */
const messageCharactersMax = 64 * 1_024;
/** How long an announcement is valid. Within this time a replayed one may save a waiting process a query. The clocks of processes may
 * differ by as much. */
const announcedMs = 60_000;
const signatureCharacters = 32;
const kind = 'positions';
/** The interval of pings on a subscribed connection. Without them, a connection that broke silently would stay unnoticed. */
const pingEveryMs = 5_000;

export type RedisAnnouncementsOptions = {
  /** The connection for publishing and subscribing (RESP3: Redis 6 and later). Its owner adds the error listener and closes it. */
  readonly redis: Redis;
  /** The prefix of the channel's name. */
  readonly prefix: string;
  readonly signer: Signer;
};

/** Opens announcements over Redis pub/sub. While Redis is unavailable there are none. A message without a valid signature is ignored. A
 * replayed message is still true: a generation's positions only rise, and its name is never used for another. */
export const openRedisAnnouncements = ({
  redis,
  prefix,
  signer,
}: RedisAnnouncementsOptions): Announcements & { readonly close: () => void } => {
  // Release 0.1.0 announces on `positions`, unsigned.
  const channel = `${prefix}:signed:positions`;
  const messages = signedMessages(signer, channel);
  const listeners = new Set<(announcements: readonly Announcement[]) => void>();
  let signsOfLife: NodeJS.Timeout | undefined;

  const receive = (from: string, message: string): void => {
    if (from !== channel) return;
    const announcements = messages.open(message);
    if (announcements.length > 0) for (const listener of listeners) listener(announcements);
  };
  // A command is rejected, not queued, while there is no connection. `ready` is emitted for each new connection.
  const listen = (): void => {
    if (redis.status === 'ready') redis.subscribe(channel).catch(() => undefined);
  };
  const ping = (): void => {
    if (redis.status === 'ready') redis.ping().catch(() => undefined);
  };
  const start = (): void => {
    redis.on('message', receive).on('ready', listen);
    listen();
    signsOfLife = setInterval(ping, pingEveryMs).unref();
  };
  const stop = (): void => {
    redis.off('message', receive).off('ready', listen);
    clearInterval(signsOfLife);
    if (redis.status === 'ready') redis.unsubscribe(channel).catch(() => undefined);
  };

  return {
    publish: (announcements) => {
      for (let from = 0; from < announcements.length; from += announcementsMax) {
        redis.publish(channel, messages.seal(announcements.slice(from, from + announcementsMax))).catch(() => undefined);
      }
    },
    subscribe: (listener) => {
      // A new function for each call, so that a listener that subscribes twice is called twice.
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

type Row = readonly [generation: string, partition: number, position: number];
/** A message on the channel. Sent and signed: never rename, and keep the order. */
type Message = { readonly untilMs: number; readonly positions: readonly Row[] };

const asRow = ({ generation, partition, position }: Announcement): Row => [generation, partition, position];

const signedMessages = (signer: Signer, channel: string) => ({
  seal: (announcements: readonly Announcement[]): string => {
    const body = JSON.stringify({ untilMs: Date.now() + announcedMs, positions: announcements.map(asRow) } satisfies Message);
    return signer.sign(kind, channel, body) + body;
  },
  /** Returns nothing for a message that is not signed or has expired. */
  open: (message: string): readonly Announcement[] => {
    if (message.length > messageCharactersMax) return [];
    const body = message.slice(signatureCharacters);
    if (!signer.verify(message.slice(0, signatureCharacters), kind, channel, body)) return [];
    const { untilMs, positions } = JSON.parse(body) as Message;
    if (untilMs <= Date.now()) return [];
    return positions.map(([generation, partition, position]) => ({ generation, partition, position }));
  },
});
