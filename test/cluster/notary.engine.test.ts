import { openPlace } from '@waymark/checkpoints/urls.ts';
import { checkpointDigest, originOf } from '@waymark/proof/checkpoint.ts';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { type Client, openClient } from '../api/client.ts';
import { coveredJson, exported, numberOf, type Tree } from '../api/evidence.ts';
import { aPinpoint } from '../api/samples.ts';
import { type Application, bodyOf, openSession, type Session, tokenCall } from '../api/session.ts';
import { withLog } from './history/facts.ts';
import { type Cluster, startCluster } from './setup/cluster.ts';
import { figuresOf, pidOf } from './setup/processes.ts';
import { sharedPlace } from './setup/shared-notary.ts';
import { until } from './setup/until.ts';

const hangMs = 300_000;

type Notary = { readonly state: string; readonly number: number; readonly signed: number };

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media'], 'The notary of a cluster', () => {
  let cluster: Cluster;
  let client: Client;
  let me: Session;

  beforeAll(async () => {
    cluster = await startCluster({ WAYMARK_NOTARY_SECONDS: '1' });
    client = openClient(cluster.url);
    const order = { account: ownName('account'), name: 'test/cluster', scopes: ['read', 'write', 'audit'] };
    const application = bodyOf<Application>(await cluster.operator('POST', '/applications', order), 201);
    const { access_token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
    me = openSession(client.send, application, access_token);
  }, hangMs);
  afterAll(async () => {
    client?.close();
    await cluster?.stop();
  }, hangMs);

  /** Creates a pinpoint, and returns the number of the first checkpoint that is known to cover it. */
  const coveredWrite = async (): Promise<number> => {
    const { id } = await me.create('/pinpoints', aPinpoint());
    const { head } = await coveredJson<{ readonly head: Tree }>(me, `/proofs/inclusion?kind=pinpoints&id=${id}&revision=0`);
    return Number(numberOf(head));
  };
  const notary = (): Promise<Notary> => figuresOf<Notary>(cluster, 'notary');

  it('signs what was written, as exports prove offline', async () => {
    const number = await coveredWrite();
    expect(Number(numberOf(await coveredJson<Tree>(me, '/checkpoints/latest')))).toBeGreaterThanOrEqual(number);
    expect(await exported(me, '/export')).toMatchObject({ sound: true, findings: [], object: null });
  });

  it('continues after SIGKILL with the next number', async () => {
    const before = await coveredWrite();
    const pid = await pidOf(cluster, 'notary');
    process.kill(pid, 'SIGKILL');
    await until('a new notary signs', hangMs, async () => (await pidOf(cluster, 'notary')) !== pid && (await notary()).state === 'signing');
    expect((await notary()).number).toBeGreaterThanOrEqual(before);
    const after = await coveredWrite();
    expect(after).toBeGreaterThan(before);
    const notes = await publishedBetween(before, after);
    expect(notes.map(({ number }) => number)).toEqual(notes.map((_, index) => before + index));
    expect(notes.slice(1).map(({ previous }) => previous)).toEqual(notes.slice(0, -1).map(({ digest }) => digest));
  });
});

/** Returns checkpoints as they are published. */
const publishedBetween = async (first: number, last: number) => {
  const { installation, incarnation } = await withLog((log) => log.state());
  const place = await openPlace(sharedPlace());
  try {
    const origin = originOf(installation, incarnation);
    const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    return await Promise.all(numbers.map(async (number) => partsOf((await place.read(origin, number)) ?? '')));
  } finally {
    place.close();
  }
};

const partsOf = (note: string) => ({
  number: Number(/^number (\d+)$/m.exec(note)?.[1]),
  previous: /^previous (.+)$/m.exec(note)?.[1],
  digest: checkpointDigest(note.slice(0, note.lastIndexOf('\n\n') + 1)),
});
