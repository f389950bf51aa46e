import type { Signer } from '@waymark/signing/signer.ts';
import type { Redis } from 'ioredis';
import { type Announcement, type Announcements, announcementsMax } from '../announcements.ts';

/** Longer messages are none of ours. */
const messageCharactersMax = 64 * 1_024;
/** An announcement that is older is ignored: so long one that is repeated may spare those who wait a question. The clocks of processes may
 * differ by as much. */
const announcedMs = 60_000;
const signatureCharacters = 32;
const kind = 'positions';
/** A subscribed connection is asked for a sign of life this often: on one that broke without a word nothing is missed. */
const signOfLifeMs = 5_000;

export type RedisAnnouncementsOptions = {
  /** Its error listener and its closing are its owner's business. Publishing and listening share it (RESP3: Redis 6 and later). */
  readonly redis: Redis;
  /** What the channel's name begins with. */
  readonly prefix: string;
  readonly signer: Signer;
};

/** Announcements over Redis pub/sub. While Redis is unavailable there are none. A message without a signature says nothing. One that is
 * repeated is still true: a generation's positions only rise, and its name is never given to another. */
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

  const hear = (from: string, message: string): void => {
    if (from !== channel) return;
    const announcements = messages.open(message);
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
        redis.publish(channel, messages.seal(announcements.slice(from, from + announcementsMax))).catch(() => undefined);
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

type Row = readonly [generation: string, partition: number, position: number];
/** A message on the channel. Sent and signed: never rename, and keep the order. */
type Message = { readonly untilMs: number; readonly positions: readonly Row[] };

const asRow = ({ generation, partition, position }: Announcement): Row => [generation, partition, position];

const signedMessages = (signer: Signer, channel: string) => ({
  seal: (announcements: readonly Announcement[]): string => {
    const body = JSON.stringify({ untilMs: Date.now() + announcedMs, positions: announcements.map(asRow) } satisfies Message);
    return signer.sign(kind, channel, body) + body;
  },
  /** Of a message that is not signed, or is old: nothing. */
  open: (message: string): readonly Announcement[] => {
    if (message.length > messageCharactersMax) return [];
    const body = message.slice(signatureCharacters);
    if (!signer.verify(message.slice(0, signatureCharacters), kind, channel, body)) return [];
    const { untilMs, positions } = JSON.parse(body) as Message;
    if (untilMs <= Date.now()) return [];
    return positions.map(([generation, partition, position]) => ({ generation, partition, position }));
  },
});
