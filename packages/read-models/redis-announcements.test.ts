import { describeOn, ownName } from '@waymark/engines/engines.ts';
import { ready, testConnections, until } from '@waymark/redis/testing/connections.ts';
import type { Redis } from 'ioredis';
import { type Announcement, announcementsMax } from './announcements.ts';
import { redisAnnouncements } from './redis-announcements.ts';
import { visibleIn } from './waiting.ts';

const { direct, byPassage, closing, opened } = testConnections();

const announcement = (position: number): Announcement => ({ generation: '2-1', partition: 3, position });

/** What one process hears. */
const hearing = (redis: Redis, prefix: string) => {
  const announcements = closing(redisAnnouncements({ redis, prefix }));
  const heard: Announcement[] = [];
  const stop = announcements.subscribe((some) => heard.push(...some));
  return { announcements, heard, stop };
};

/** Nothing tells when a subscription stands: it is there once something comes through. */
const listening = async ({ heard }: { readonly heard: Announcement[] }, redis: Redis, prefix: string): Promise<void> => {
  const { publish } = redisAnnouncements({ redis, prefix });
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

describe('announcements, where Redis is not there', () => {
  it('are none, and throw nothing', async () => {
    const { announcements, heard, stop } = hearing(opened({ url: 'redis://127.0.0.1:1' }), 'prefix');
    for (let time = 0; time < 1_000; time += 1) announcements.publish([announcement(time)]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(heard).toEqual([]);
    stop();
  });

  it('are not needed by those who wait', async () => {
    const announcements = closing(redisAnnouncements({ redis: opened({ url: 'redis://127.0.0.1:1' }), prefix: 'prefix' }));
    const visible = visibleIn({ partitions: 12, visiblePosition: async () => 5, announcements, waited: () => ['2-1'], waitMs: 9_000 });
    expect(await visible('account-a', 5)).toBe(true);
  });
});

describeOn(['redis'], 'announcements over Redis', () => {
  it('reach everybody who listens, those who publish included, in order', async () => {
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

  it('of other installations are not heard, nor is anything else that somebody writes there', async () => {
    const prefix = ownName('announcements');
    const redis = await direct();
    const here = hearing(await direct(), prefix);
    await listening(here, redis, prefix);
    redisAnnouncements({ redis, prefix: ownName('announcements') }).publish([announcement(1)]);
    const strange = ['', 'no JSON', '7', 'null', '{}', '[7]', '[null]', '[["2-1",3]]', '[["2-1","3",4]]', '[["2-1",3,1e99]]', '[[1,2,3]]'];
    for (const message of [...strange, `[${' '.repeat(70_000)}["2-1",3,4]]`]) await redis.publish(`${prefix}:positions`, message);
    await redis.publish(`${prefix}:positions`, '[["2-1",3,4],[],["2-1",3,5,"more"]]');
    await until(() => here.heard.length >= 2);
    expect(here.heard).toEqual([announcement(4), announcement(5)]);
  });

  it('are heard again once Redis is back, after it was down and after it stood still', async () => {
    const prefix = ownName('announcements');
    const { redis, passage } = await byPassage();
    const others = await direct();
    const here = hearing(redis, prefix);
    await listening(here, others, prefix);
    for (const interrupt of [passage.cut, async () => passage.freeze()]) {
      await interrupt();
      // Only an unanswered command tells that it stands still.
      here.announcements.publish([announcement(0)]);
      await until(() => redis.status !== 'ready');
      await passage.heal();
      await ready(redis);
      await listening(here, others, prefix);
    }
  });

  it('are heard no more by whoever stopped listening, and still by the others', async () => {
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
    await until(async () => (await redis.pubsub('NUMSUB', `${prefix}:positions`))[1] === 0);
  });

  it('end the waits of another process', async () => {
    const prefix = ownName('announcements');
    const projector = redisAnnouncements({ redis: await direct(), prefix });
    const announcements = closing(redisAnnouncements({ redis: await direct(), prefix }));
    const never = () => new Promise<number>(() => undefined);
    const visible = visibleIn({ partitions: 1, visiblePosition: never, announcements, waited: () => ['2-1'], waitMs: 9_000 });
    const waiting = visible('account-a', 5);
    const repeating = setInterval(() => projector.publish([{ generation: '2-1', partition: 0, position: 5 }]), 20);
    expect(await waiting).toBe(true);
    clearInterval(repeating);
  });
});
