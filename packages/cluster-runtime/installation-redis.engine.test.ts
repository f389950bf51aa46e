import { sampleToken } from '@waymark/access/testing/sample-token.ts';
import { unreliable } from '@waymark/access/testing/unreliable.ts';
import type { TokenStore } from '@waymark/access/tokens/token-store.ts';
import { openWindowCounters } from '@waymark/access/window-counters.ts';
import { logOfItsOwn } from '@waymark/event-log/testing/temporary-logs.ts';
import { failedAuthentication } from '@waymark/http/authentication-failures.ts';
import { HttpError, invalidToken } from '@waymark/http/errors.ts';
import type { RateLimit } from '@waymark/http/rate-limit.ts';
import { testConnections, until } from '@waymark/redis/testing/connections.ts';
import { createSigner } from '@waymark/signing/signer.ts';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import {
  installationAnnouncements,
  installationFacts,
  installationFailureLimit,
  installationRateLimit,
  installationTokens,
  redisPrefixOf,
  relayLease,
} from './installation-redis.ts';

const { direct, closing } = testConnections();
/** Two installations may even share a signing key: only the names in Redis separate them. */
const signer = createSigner(['k'.repeat(32)]);
const quota = { name: 'requests', points: 2, seconds: 600 };
const nowMs = Date.now();

/** Counts a request and returns whether it is refused above the quota. */
const refused = async ({ take }: RateLimit, key: string): Promise<boolean> => {
  try {
    await take(key);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return error.status === 429;
  }
  return false;
};

/** A limit that counts failed guesses. */
const guesses: typeof installationRateLimit = (options, of) => {
  const { attempt } = installationFailureLimit(options, of);
  const guess = async (): Promise<never> => {
    throw failedAuthentication(invalidToken(), 'unknown-token');
  };
  return { take: (key) => attempt(key, guess) };
};

describeOn(['redis'], 'two installations on one Redis, with one prefix', () => {
  let prefix: string;
  const ends: (() => Promise<void>)[] = [];
  beforeEach(() => {
    prefix = ownName('installations');
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  /** Creates a process of an installation. */
  const processOf = async (installation?: string) => {
    const own = await logOfItsOwn();
    ends.push(own.close);
    const redis = await direct();
    const options = {
      redis,
      prefix,
      installation: installation ?? (await own.state()).installation,
      signer,
      counters: openWindowCounters(),
    };
    const log = unreliable(own);
    return { options, log, tokens: installationTokens({ ...options, log, knownMs: 0 }) };
  };
  const isFound = async (tokens: TokenStore, hash: string): Promise<boolean> => (await tokens.find(hash, nowMs)) !== undefined;
  const live = () => sampleToken({ issuedAtMs: nowMs, expiresAtMs: nowMs + 600_000 });

  it('never read a token entry of each other: each finds its own, also while only Redis responds', async () => {
    const [one, other] = [await processOf(), await processOf()];
    const token = live();
    await one.tokens.save(token);
    await other.tokens.save({ ...token, account: 'another account' });
    one.log.faults.unavailable = true;
    other.log.faults.unavailable = true;
    expect(await one.tokens.find(token.hash, nowMs)).toMatchObject({ account: token.account });
    expect(await other.tokens.find(token.hash, nowMs)).toMatchObject({ account: 'another account' });
  });

  it('never read the revocation mark of each other', async () => {
    const [one, other] = [await processOf(), await processOf()];
    const token = live();
    await one.tokens.save(token);
    await other.tokens.save(token);
    await other.tokens.revoke(token.hash);
    expect([await isFound(one.tokens, token.hash), await isFound(other.tokens, token.hash)]).toEqual([true, false]);
  });

  it('never receive an announcement of each other', async () => {
    const [one, other] = [await processOf(), await processOf()];
    const [here, there] = [one, other].map(({ options }) => closing(installationAnnouncements(options)));
    const heard: string[] = [];
    here?.subscribe((announcements) => heard.push(...announcements.map(({ generation }) => generation)));
    const announce = (by: typeof here, generation: string): void => by?.publish([{ generation, partition: 0, position: 1 }]);
    await until(() => {
      announce(there, 'foreign');
      announce(here, 'own');
      return heard.includes('own');
    });
    // Redis delivers in one order: the other installation's earlier announcements did not reach this one.
    expect(new Set(heard)).toEqual(new Set(['own']));
  });

  it.each([
    ['requests', installationRateLimit],
    ['failed guesses', guesses],
  ])('never share a count of %s', async (_, limitOn) => {
    const [one, other] = [await processOf(), await processOf()];
    const [here, there] = [limitOn(one.options, quota), limitOn(other.options, quota)];
    const key = ownName('key');
    for (let time = 0; time < quota.points; time += 1) expect(await refused(there, key)).toBe(false);
    expect(await refused(there, key)).toBe(true);
    expect(await refused(here, key)).toBe(false);
    // Another process of the same installation shares the count.
    const same = limitOn({ ...other.options, redis: await direct() }, quota);
    expect(await refused(same, key)).toBe(true);
  });

  it('have an active relay each', async () => {
    const [one, other] = [await processOf(), await processOf()];
    const [here, there] = [one, other].map(({ options }) => closing(relayLease(options)));
    await until(() => here?.holds() && there?.holds());
    const standby = closing(relayLease({ ...one.options, redis: await direct() }));
    for (let time = 0; time < 20; time += 1) {
      expect(standby.holds()).toBe(false);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });

  it('never read the known facts of the other one’s log', async () => {
    const [one, other] = [await processOf(), await processOf()];
    await installationFacts(other.options).replace(undefined, 'theirs');
    expect(await installationFacts(one.options).read()).toBeUndefined();
    await installationFacts(one.options).replace(undefined, 'ours');
    expect(await installationFacts(other.options).read()).toBe('theirs');
  });

  it('have their own id in every key and channel', async () => {
    const { options, tokens } = await processOf();
    const { redis, installation } = options;
    await tokens.save(live());
    await tokens.revoke(live().hash);
    await refused(installationRateLimit(options, quota), 'key');
    await refused(guesses(options, quota), 'guess');
    closing(installationAnnouncements({ ...options, redis: await direct() })).subscribe(() => undefined);
    await installationFacts(options).replace(undefined, 'facts');
    const lease = closing(relayLease(options));
    await until(lease.holds);
    const channels = async () => (await redis.pubsub('CHANNELS', `${prefix}*`)) as string[];
    await until(async () => (await channels()).length > 0);
    const names = [...(await redis.keys(`${prefix}*`)), ...(await channels())];
    const begin = `${redisPrefixOf(prefix, installation)}:`;
    expect(begin).toContain(installation);
    expect(names.length).toBeGreaterThanOrEqual(5);
    for (const name of names) expect(name.startsWith(begin)).toBe(true);
  });
});
