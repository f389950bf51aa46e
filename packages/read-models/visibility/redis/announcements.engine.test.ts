import { ready, testConnections, until } from '@waymark/redis/testing/connections.ts';
import { createSigner } from '@waymark/signing/signer.ts';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import type { Redis } from 'ioredis';
import { type Announcement, announcementsMax } from '../announcements.ts';
import { createVisibilityWaiter } from '../visibility-waiter.ts';
import { openRedisAnnouncements } from './announcements.ts';

const signer = createSigner(['k'.repeat(32)]);
const stranger = createSigner(['s'.repeat(32)]);
const { direct, byPassage, closing, opened } = testConnections();

const announcement = (position: number): Announcement => ({ generation: '2-1', partition: 3, position });

/** Subscribes one process, and collects the announcements that it receives. */
const hearing = (redis: Redis, prefix: string) => {
  const announcements = closing(openRedisAnnouncements({ redis, prefix, signer }));
  const heard: Announcement[] = [];
  const stop = announcements.subscribe((some) => heard.push(...some));
  return { announcements, heard, stop };
};

/** Waits until a subscription is active. Redis does not report that, so announcements are published until one arrives. */
const listening = async ({ heard }: { readonly heard: Announcement[] }, redis: Redis, prefix: string): Promise<void> => {
  const { publish } = openRedisAnnouncements({ redis, prefix, signer });
  await until(() => {
    publish([announcement(-1)]);
    return heard.length > 0;
  });
  await until(async () => {
    const before = heard.length;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return heard.length === before;
  });
  heard.length = 0;
};

describe('announcements while Redis is unreachable', () => {
  it('are not received, and publishing does not throw', async () => {
    const { announcements, heard, stop } = hearing(opened({ url: 'redis://127.0.0.1:1' }), 'prefix');
    for (let time = 0; time < 1_000; time += 1) announcements.publish([announcement(time)]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(heard).toEqual([]);
    stop();
  });

  it('are not required for a wait', async () => {
    const announcements = closing(openRedisAnnouncements({ redis: opened({ url: 'redis://127.0.0.1:1' }), prefix: 'prefix', signer }));
    const visible = createVisibilityWaiter({
      partitions: 12,
      visiblePosition: async () => 5,
      announcements,
      awaited: () => ['2-1'],
      waitMs: 9_000,
    });
    expect(await visible(0, 5)).toBe(true);
  });
});

describeOn(['redis'], 'announcements over Redis', () => {
  it('reach all subscribers in order, the publisher included', async () => {
    const prefix = ownName('announcements');
    const [one, other] = [await direct(), await direct()];
    const [here, there] = [hearing(one, prefix), hearing(other, prefix)];
    await listening(here, other, prefix);
    await listening(there, one, prefix);
    here.heard.length = 0;
    const sent = Array.from({ length: 2 * announcementsMax + 1 }, (_, index) => announcement(index));
    here.announcements.publish(sent);
    here.announcements.publish([]);
    await until(() => here.heard.length >= sent.length && there.heard.length >= sent.length);
    expect([here.heard, there.heard]).toEqual([sent, sent]);
  });

  describe('that are forged', () => {
    let prefix: string;
    let redis: Redis;
    let here: ReturnType<typeof hearing>;
    /** A genuine message, as any subscriber can record it. */
    let recorded: string;
    beforeEach(async () => {
      prefix = ownName('announcements');
      redis = await direct();
      here = hearing(await direct(), prefix);
      await listening(here, redis, prefix);
      recorded = await recordedOn(prefix, announcement(4));
      await until(() => here.heard.length > 0);
      here.heard.length = 0;
    });
    const recordedOn = async (of: string, what: Announcement): Promise<string> => {
      const spy = await direct();
      const messages: string[] = [];
      spy.on('message', (_, message) => messages.push(message));
      await spy.subscribe(`${of}:signed:positions`);
      openRedisAnnouncements({ redis, prefix: of, signer }).publish([what]);
      await until(() => messages.length > 0);
      return messages[0] ?? '';
    };
    const heardAfter = async (...messages: readonly string[]): Promise<readonly Announcement[]> => {
      for (const message of messages) await redis.publish(`${prefix}:signed:positions`, message);
      openRedisAnnouncements({ redis, prefix, signer }).publish([announcement(9)]);
      await until(() => here.heard.some(({ position }) => position === 9));
      return here.heard.slice(0, -1);
    };
    const body = (positions: unknown): string => JSON.stringify({ untilMs: Date.now() + 60_000, positions });
    const row = ['2-1', 3, 1_000];

    it.each<readonly [string, () => string | Promise<string>]>([
      ['without a signature', () => body([row])],
      ['as release 0.1.0 sends them', () => JSON.stringify([row])],
      ['signed with another key', () => stranger.sign('positions', `${prefix}:signed:positions`, body([row])) + body([row])],
      ['with a changed position', () => recorded.replace('["2-1",3,4]', '["2-1",3,5]')],
      ['of another installation', () => recordedOn(ownName('announcements'), announcement(1_000))],
      ['with a check value as their signature', () => `${signer.checks[0]}${body([row])}`],
      ['longer than the maximum', () => `${recorded}${' '.repeat(70_000)}`],
      ['empty', () => ''],
    ])('%s are ignored', async (_, message) => {
      expect(await heardAfter(await message())).toEqual([]);
    });

    it('on the channel of release 0.1.0 are ignored', async () => {
      await redis.publish(`${prefix}:positions`, JSON.stringify([row]));
      expect(await heardAfter()).toEqual([]);
    });

    it('by replaying a genuine message only report what was true, and nothing once it has expired', async () => {
      expect(await heardAfter(recorded)).toEqual([announcement(4)]);
      here.heard.length = 0;
      const now = Date.now.bind(Date);
      const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 60_000);
      const again = await heardAfter(recorded);
      clock.mockRestore();
      expect(again).toEqual([]);
    });

    it('do not make a write visible before it is', async () => {
      const announcements = closing(openRedisAnnouncements({ redis: await direct(), prefix, signer }));
      let position = 0;
      const visible = createVisibilityWaiter({
        partitions: 1,
        visiblePosition: async () => position,
        announcements,
        awaited: () => ['2-1'],
        waitMs: 60_000,
      });
      const waiting = Promise.resolve(visible(0, 5));
      let isVisible = false;
      void waiting.then(() => {
        isVisible = true;
      });
      const forged = body([['2-1', 0, 5]]);
      expect(await heardAfter(forged, JSON.stringify([['2-1', 0, 5]]), `${recorded.slice(0, 32)}${forged}`)).toEqual([]);
      expect(isVisible).toBe(false);
      position = 5;
      expect(await waiting).toBe(true);
    });
  });

  it('are received again after Redis was down, and after it was frozen', async () => {
    const prefix = ownName('announcements');
    const { redis, passage } = await byPassage();
    const others = await direct();
    const here = hearing(redis, prefix);
    await listening(here, others, prefix);
    for (const interrupt of [passage.cut, async () => passage.freeze()]) {
      await interrupt();
      // Only an unanswered command shows that Redis is frozen.
      here.announcements.publish([announcement(0)]);
      await until(() => redis.status !== 'ready');
      await passage.heal();
      await ready(redis);
      await listening(here, others, prefix);
    }
  });

  it('are no longer received by a listener that unsubscribed, but still by the others', async () => {
    const prefix = ownName('announcements');
    const redis = await direct();
    const here = hearing(redis, prefix);
    const heard: Announcement[] = [];
    const stop = here.announcements.subscribe((some) => heard.push(...some));
    await listening(here, redis, prefix);
    stop();
    stop();
    heard.length = 0;
    here.announcements.publish([announcement(1)]);
    await until(() => here.heard.length > 0);
    expect(heard).toEqual([]);
    here.stop();
    await until(async () => (await redis.pubsub('NUMSUB', `${prefix}:signed:positions`))[1] === 0);
  });

  it('end the waits of another process', async () => {
    const prefix = ownName('announcements');
    const projector = openRedisAnnouncements({ redis: await direct(), prefix, signer });
    const announcements = closing(openRedisAnnouncements({ redis: await direct(), prefix, signer }));
    const never = () => new Promise<number>(() => undefined);
    const visible = createVisibilityWaiter({ partitions: 1, visiblePosition: never, announcements, awaited: () => ['2-1'], waitMs: 9_000 });
    const waiting = visible(0, 5);
    const repeating = setInterval(() => projector.publish([{ generation: '2-1', partition: 0, position: 5 }]), 20);
    expect(await waiting).toBe(true);
    clearInterval(repeating);
  });
});
