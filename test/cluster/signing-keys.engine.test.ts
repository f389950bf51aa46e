import { rmSync } from 'node:fs';
import { randomKey } from '@waymark/runtime/private-files.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { Redis } from 'ioredis';
import { openClient } from '../api/client.ts';
import { aPinpoint } from '../api/samples.ts';
import { type Application, bodyOf, openSession, type Session, type Thing, tokenCall } from '../api/session.ts';
import { useDesk } from '../cli/waymark.ts';
import { withLog } from './history/facts.ts';
import { type Cluster, type ClusterPlace, newPlace, startCluster } from './setup/cluster.ts';
import { verificationFindings } from './setup/rest.ts';
import { until } from './setup/until.ts';

/** The bound for a start of everything, on a machine that may be busy. */
const startedWithinMs = 300_000;
const refusal = /WAYMARK_SIGNING_KEY: this installation has accepted none of these keys\..*waymark adopt --signing-key/g;

/** The notary has a key of its own, and uses neither Redis nor Kafka. */
const withoutKey = ['notary'];

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media'], 'a cluster whose signing key is lost', () => {
  let [first, second]: [Cluster?, Promise<Cluster>?] = [];
  let session: Session | undefined;
  let names: readonly string[] = [];
  const made: Thing[] = [];
  let place: ClusterPlace;
  const desks: Record<string, string> = {};
  const desk = useDesk(desks);

  beforeAll(async () => {
    place = newPlace();
    desks['WAYMARK_DATA_DIR'] = place.directory;
    first = await startCluster({ WAYMARK_RATE_LIMITS: 'on' }, place);
    names = (await first.processes()).map(({ name }) => name).filter((name) => name !== 'operator' && !withoutKey.includes(name));
    session = await newSession(first);
    for (let nth = 0; nth < 5; nth += 1) made.push(await session.create('/pinpoints', aPinpoint({ name: `kept ${nth}` })));
  });
  afterAll(async () => {
    const last = await second?.catch(() => undefined);
    await (last ?? first)?.stop();
    rmSync(place.directory, { recursive: true, force: true });
  });

  it('has its installation’s id in every key and channel in Redis', async () => {
    const { url } = first as Cluster;
    const client = openClient(url);
    const { installation } = await withLog((log) => log.state());
    const prefix = `${place.own.prefix}:${installation}:`;
    const kinds = ['signed:token:', 'signed:positions', 'rate:requests', 'rate:address-failures', 'relay'];
    let found: readonly string[] = [];
    // A process that gets too little of the processor counts requests without Redis.
    await until('Redis has an entry of every kind', startedWithinMs, async () => {
      await client.send({ method: 'GET', path: '/v3.0/pinpoints', headers: { Authorization: 'Bearer guessed' } });
      await session?.get('/pinpoints');
      found = await namesInRedis(place.own.prefix);
      return kinds.every((kind) => found.some((name) => name.startsWith(`${prefix}${kind}`)));
    });
    client.close();
    expect(found.filter((name) => !name.startsWith(prefix))).toEqual([]);
  });

  it('does not start with another key: each process that uses the key, except the operator service, refuses, and reports what to do', async () => {
    await first?.pause();
    const before = place.printed.length;
    second = startCluster({ WAYMARK_SIGNING_KEY: randomKey() }, place);
    second.catch(() => undefined);
    const printed = (): string => place.printed.slice(before).join('');
    const isEnded = (name: string): boolean =>
      printed()
        .split('\n')
        .some((line) => line.includes(`"process":"${name}","code":2`));
    await until('every process has refused', startedWithinMs, () => names.every(isEnded));
    expect(names).toEqual(expect.arrayContaining(['auth', 'commands', 'query-gateway', 'relay', 'projector']));
    expect(printed().match(refusal)?.length).toBeGreaterThanOrEqual(names.length);
    expect(isEnded('operator')).toBe(false);
  });

  it('reports to operators why it is not ready, and changes nothing meanwhile', async () => {
    const status = await desk.json<{ ready: boolean; missing: readonly string[] }>(['status']);
    expect(status).toMatchObject({ ready: false, missing: expect.arrayContaining([expect.stringMatching(new RegExp(refusal))]) });
    const refused = await desk.run('app', 'create', '--account', 'any', '--name', 'any', '--scopes', 'read');
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringMatching(new RegExp(refusal)) });
  });

  it('works with the new key after an operator accepts it: tokens are valid, and content is unchanged', async () => {
    expect(await desk.json(['adopt', '--signing-key'])).toEqual({ signing_key: 'accepted' });
    const cluster = await (second as Promise<Cluster>);
    const client = openClient(cluster.url);
    const { application, token } = session as Session;
    const again = openSession(client.send, application, token);
    // The entry of the token in Redis was signed with the lost key, and a busy log may not answer at once.
    await until('the token was checked in the log', startedWithinMs, async () => (await again.get('/pinpoints')).status !== 503);
    for (const thing of made) expect(await again.read(`/pinpoints/${thing.id}`)).toEqual(thing);
    const more = await again.create('/pinpoints', aPinpoint({ name: 'new' }));
    expect(await again.read(`/pinpoints/${more.id}`)).toEqual(more);
    client.close();
    expect(await verificationFindings(cluster)).toEqual([]);
  });
});

const newSession = async (cluster: Cluster): Promise<Session> => {
  const body = { account: ownName('signed'), name: 'signed', scopes: ['read', 'write'] };
  const application = bodyOf<Application>(await cluster.operator('POST', '/applications', body), 201);
  const client = openClient(cluster.url);
  const { access_token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
  return openSession(client.send, application, access_token);
};

const namesInRedis = async (prefix: string): Promise<readonly string[]> => {
  const redis = new Redis(urlOf('redis'));
  try {
    return [...(await redis.keys(`${prefix}*`)), ...((await redis.pubsub('CHANNELS', `${prefix}*`)) as string[])];
  } finally {
    redis.disconnect();
  }
};
