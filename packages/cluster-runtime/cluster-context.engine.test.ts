import { setTimeout as pause } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { sampleToken } from '@waymark/access/testing/sample-token.ts';
import { partitionsOfCluster } from '@waymark/domain/partitions.ts';
import type { LogState } from '@waymark/event-log/event-log.ts';
import { eventStore } from '@waymark/event-log/testing/eventstore.ts';
import { createMongoClient } from '@waymark/read-models/mongodb/client.ts';
import { openMongoReadSide } from '@waymark/read-models/mongodb/read-side.ts';
import { testConnections, until } from '@waymark/redis/testing/connections.ts';
import {
  eventStoreSettings,
  mongoSettings,
  processSettings,
  redisSettings,
  settingsOf,
  signingSettings,
} from '@waymark/runtime/common-settings.ts';
import { randomKey } from '@waymark/runtime/private-files.ts';
import { readSettings, WrongSettings } from '@waymark/runtime/settings.ts';
import { createSigner } from '@waymark/signing/signer.ts';
import type { FaultProxy } from '@waymark/test-engines/fault-proxy.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { type ClusterContext, openClusterContext } from './cluster-context.ts';
import { installationTokens } from './installation-redis.ts';
import type { Context } from './run.ts';
import { adoptKeys } from './signing-keys.ts';

const settings = settingsOf(
  Type.Object({ ...processSettings, ...eventStoreSettings, ...mongoSettings, ...redisSettings, ...signingSettings }),
);
const another = '00000000-0000-4000-8000-000000000009';
const nowMs = Date.now();
const tryingMs = 2_000;

describeOn(['eventstore', 'mongodb', 'redis'], 'a process that only reads, and starts while the event store is unavailable', () => {
  const { log, proxied } = eventStore();
  const { direct, byPassage } = testConnections();
  const ends: (() => unknown)[] = [];
  const key = randomKey();
  let state: LogState;
  let [passage, url]: [FaultProxy | undefined, string] = [undefined, ''];
  let [database, prefix] = ['', ''];
  let fatal: Error[];
  beforeEach(async () => {
    [database, prefix, fatal] = [ownName('world'), ownName('world'), []];
    state = await log().state();
    await adoptKeys(log(), createSigner([key]));
    ({ passage, url } = await proxied());
    await passage.cut();
  });
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  /** Creates read models of this log that name an installation. */
  const readSideOf = async (installation: string): Promise<void> => {
    const side = openMongoReadSide({ url: urlOf('mongodb'), database });
    const client = createMongoClient({ url: urlOf('mongodb') });
    ends.push(client.close.bind(client), () => client.db(database).dropDatabase(), side.close);
    await side.ensure();
    await side.claim(installation);
    const generation = side.generation(await side.generations.begin());
    const to = { incarnation: state.incarnation, position: 1, event: 'one' };
    const partitions = Array.from({ length: partitionsOfCluster }, (_, partition) => partition);
    await generation.applyTogether(partitions.map((partition) => ({ partition, after: 0, afterEvent: '', events: [], to })));
    await side.generations.promote(generation.name);
  };
  const start = async (signingKey = key, redis = urlOf('redis')): Promise<ClusterContext> => {
    const stopping = new AbortController();
    const context: Context<ReturnType<typeof readSettings<typeof settings.schema>>> = {
      settings: readSettings(settings, {
        WAYMARK_STATUS_TOKEN: randomKey(),
        WAYMARK_EVENTSTORE_URL: url,
        WAYMARK_MONGODB_URL: urlOf('mongodb'),
        WAYMARK_MONGODB_DATABASE: database,
        WAYMARK_REDIS_URL: redis,
        WAYMARK_REDIS_PREFIX: prefix,
        WAYMARK_SIGNING_KEY: signingKey,
      }),
      logger: pino({ level: 'silent' }),
      registry: new Registry(),
      observe: () => undefined,
      noteFailure: () => undefined,
      closing: () => false,
      stopped: stopping.signal,
      fatal: (error) => void fatal.push(error),
    };
    const clusterContext = await openClusterContext(context, { waitMs: 0, readsOnly: true, rateLimits: 'off' });
    ends.push(clusterContext.close, () => stopping.abort());
    return clusterContext;
  };

  it('finds its installation’s tokens in Redis, by the id in the read models', async () => {
    await readSideOf(state.installation);
    const { installation } = state;
    const token = sampleToken({ issuedAtMs: nowMs, expiresAtMs: nowMs + 600_000 });
    const redis = await direct();
    const tokens = installationTokens({ redis, prefix, installation, signer: createSigner([key]), log: log(), knownMs: 0 });
    await tokens.save(token);
    const clusterContext = await start();
    expect(clusterContext.incarnation).toBe(state.incarnation);
    await until(async () => (await clusterContext.tokens.find(token.hash, nowMs).catch(() => undefined)) !== undefined);
    await passage?.heal();
    await until(() => clusterContext.log.state().catch(() => undefined));
    expect(fatal).toEqual([]);
  });

  it('receives no announcements, because it never waits for one', async () => {
    await readSideOf(state.installation);
    await start();
    const redis = await direct();
    expect(await redis.pubsub('CHANNELS', `${prefix}:*`)).toEqual([]);
  });

  it('waits a moment for a Redis that it has not reached yet', async () => {
    await readSideOf(state.installation);
    await passage?.heal();
    const redis = await byPassage();
    await redis.passage.cut();
    let hasStarted = false;
    const starting = start(key, redis.url).finally(() => {
      hasStarted = true;
    });
    // It retries the connection to Redis all the time.
    await pause(tryingMs);
    expect(hasStarted).toBe(false);
    await redis.passage.heal();
    await starting;
  });

  it('ends once the log refuses its signing keys', async () => {
    await readSideOf(state.installation);
    await start(randomKey());
    expect(fatal).toEqual([]);
    await passage?.heal();
    await until(() => fatal.length > 0);
    expect(fatal[0]).toBeInstanceOf(WrongSettings);
    expect(fatal[0]?.message).toContain('waymark adopt --signing-key');
  });

  it('ends once the log reports another installation', async () => {
    await readSideOf(another);
    await start();
    await passage?.heal();
    await until(() => fatal.length > 0);
    expect(fatal[0]?.message).toBe('The event log has another incarnation or installation than before.');
  });
});
