import { control } from '@waymark/test-engines/control.ts';
import { createFaultProxy, type FaultProxy } from '@waymark/test-engines/fault-proxy.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { type Answer, openClient } from '../api/client.ts';
import { aPinpoint } from '../api/samples.ts';
import { type Application, bodyOf, openSession, type Session, tokenCall } from '../api/session.ts';
import { useDesk } from '../cli/waymark.ts';
import { withLog } from './history/facts.ts';
import { type Cluster, startCluster } from './setup/cluster.ts';
import { pidOf, signerOf } from './setup/processes.ts';
import { untilAtRest } from './setup/rest.ts';
import { notReadyReasons, readAllEvents, restoreEvents } from './setup/rolled-back.ts';
import { haveFacts, type Survivor, survivors } from './setup/surviving-stores.ts';
import { until } from './setup/until.ts';

const withinMs = 300_000;
/** More ids than one block has. */
const lostCount = 200;
const atOnce = 10;

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'], 'a cluster whose event store was rolled back', () => {
  let [passage, cluster, session]: [FaultProxy?, Cluster?, Session?] = [];
  const place: Record<string, string> = {};
  const desk = useDesk(place);
  const given = new Set<number>();
  const own = (): Cluster => cluster as Cluster;

  beforeAll(async () => {
    await control('wipe', 'eventstore');
    await control('start', 'eventstore');
    const { hostname, port } = new URL(urlOf('eventstore').replace(/^\w+:/, 'http:'));
    passage = await createFaultProxy({ host: hostname, port: Number(port) });
    cluster = await startCluster({ WAYMARK_EVENTSTORE_URL: `esdb://127.0.0.1:${passage.port}?tls=false` });
    place['WAYMARK_DATA_DIR'] = cluster.directory;
    const made = await cluster.operator('POST', '/applications', { account: ownName('known'), name: 'known', scopes: ['read', 'write'] });
    session = await sessionOf(cluster, bodyOf<Application>(made, 201));
  });
  afterAll(async () => {
    await cluster?.stop();
    await passage?.close();
  });

  const create = () => (session as Session).post('/pinpoints', aPinpoint({ name: 'new' }));
  /** Expects a new object with an id that was never assigned before. */
  const expectNew = (answer: Answer): void => {
    const { id } = bodyOf<{ id: number }>(answer, 201);
    expect(given.has(id)).toBe(false);
    given.add(id);
  };
  const createMany = async (count: number): Promise<void> => {
    for (let made = 0; made < count; made += atOnce)
      for (const answer of await Promise.all(Array.from({ length: atOnce }, create))) expectNew(answer);
  };
  /** Rolls the event store back to a copy.
   * @returns a function that writes the earlier facts into the surviving store again */
  const rollBack = async ({ wipeOthers, take }: Survivor): Promise<() => Promise<void>> => {
    const copy = await withLog(readAllEvents);
    await createMany(lostCount);
    await untilAtRest(own());
    // The facts are written within a second. The notary may append another checkpoint meanwhile.
    await until('the facts are written', withinMs, async () => haveFacts(own().own, (await withLog((log) => log.state())).head));
    const restoreFacts = await take(own().own);
    const processes = await own().processes();
    await passage?.cut();
    // The facts in the memory of the processes would also show the rollback.
    for (const { pid } of processes) if (pid !== undefined) process.kill(pid, 'SIGKILL');
    await control('wipe', 'eventstore');
    await control('start', 'eventstore');
    await restoreEvents(copy);
    await wipeOthers(own().own);
    await passage?.heal();
    return restoreFacts;
  };
  const renewed = async (): Promise<void> => {
    await until('the operator service answers', withinMs, async () => (await desk.run('writes', 'close')).code === 0);
    await desk.json(['renew']);
    await desk.json(['writes', 'open']);
    session = await succeeds(async () => sessionOf(own(), (session as Session).application));
    // All processes know within a second that writes are open.
    expectNew(await succeeds(async () => unlessClosed(await create())));
    await untilAtRest(own());
  };

  it.each(Object.entries(survivors))('accepts no writes if only %s still has the facts, and assigns no id twice', async (_, survivor) => {
    const [{ own: names }, signer] = [own(), await signerOf(own())];
    const { installation } = await withLog((log) => log.state());
    await createMany(atOnce);
    const restoreFacts = await rollBack(survivor);
    const statuses = new Set<number>();
    await until('the cluster reports it', withinMs, async () => {
      const { status, body } = await create();
      statuses.add(status);
      return (
        status === 503 &&
        JSON.stringify(body).includes('waymark renew') &&
        (await notReadyReasons(own())).some((what) => what.includes('waymark renew'))
      );
    });
    expect([...statuses]).not.toContain(201);

    await renewed();
    await createMany(2 * atOnce);

    // The facts of the replaced log must have no effect now.
    await restoreFacts();
    await survivor.forge(names, signer, installation);
    await restoreFacts();
    for (const service of ['relay', 'commands']) process.kill(await pidOf(own(), service), 'SIGKILL');
    await untilAtRest(own());
    await createMany(atOnce);
    expect(await own().ready()).toBe(true);
  });
});

/** Returns the result of an attempt, which is repeated until it succeeds. */
const succeeds = async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
  const results: Result[] = [];
  await until('it succeeds', withinMs, async () => {
    results.push(await attempt());
    return true;
  });
  return results[0] as Result;
};

const unlessClosed = (answer: Answer): Answer => {
  if (answer.text.includes('Writes are closed.')) throw new Error(answer.text);
  return answer;
};

const sessionOf = async ({ url }: Cluster, application: Application): Promise<Session> => {
  const client = openClient(url);
  const { access_token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
  return openSession(client.send, application, access_token);
};
