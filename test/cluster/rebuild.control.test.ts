import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { MongoClient } from 'mongodb';
import { openClient } from '../api/client.ts';
import { aList, aPinpoint, members } from '../api/samples.ts';
import { type Application, bodyOf, openSession, type Session, tokenCall } from '../api/session.ts';
import { useDesk } from '../cli/waymark.ts';
import { statusOf, untilAtRest, verificationFindings } from './setup/rest.ts';
import { until } from './setup/until.ts';
import { useCluster } from './setup/use-cluster.ts';

const shownWithinMs = 300_000;

type Rebuilt = {
  readonly generation: string;
  readonly history: { readonly generation: string };
  readonly comparison: {
    readonly with: string;
    readonly outcome: string;
    readonly different: number;
    readonly examples: readonly string[];
  };
};

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'], 'a rebuild in a cluster', () => {
  const own = useCluster();
  let me: Session | undefined;
  let first: Rebuilt | undefined;
  const place: Record<string, string> = {};
  const desk = useDesk(place);
  const session = (): Session => me as Session;

  beforeAll(async () => {
    const cluster = own();
    place['WAYMARK_DATA_DIR'] = cluster.directory;
    const order = { account: ownName('rebuilt'), name: 'rebuilt', scopes: ['read', 'write'] };
    const application = bodyOf<Application>(await cluster.operator('POST', '/applications', order), 201);
    const client = openClient(cluster.url);
    const { access_token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
    me = openSession(client.send, application, access_token);
  });

  it('reports that the read models did not differ, even while clients write', async () => {
    const list = await session().create('/lists', aList({ name: 'all' }));
    let isOver = false;
    const writing = (async () => {
      for (let nth = 0; !isOver; nth += 1) {
        const pinpoint = await session().create('/pinpoints', aPinpoint({ name: `${nth}` }));
        bodyOf(await session().post(`/lists/${list.id}/pinpoints`, members(pinpoint.id)), 200);
      }
    })();
    first = await desk.json<Rebuilt>(['rebuild']);
    isOver = true;
    await writing;
    expect(first.comparison).toMatchObject({ outcome: 'equal', different: 0 });
    // The history was rebuilt, too, and is complete.
    await untilAtRest(own());
    expect((await statusOf(own())).historyGeneration).toBe(first.history.generation);
    expect(await verificationFindings(own())).toEqual([]);
  });

  it('reports the earlier differences, and ends with the exit code for them', async () => {
    const pinpoint = await session().create('/pinpoints', aPinpoint({ name: 'true' }));
    const forgetting = ['forget', 'pinpoint', `${pinpoint.id}`, '--account', session().application.account];
    expect(await desk.json(forgetting)).toMatchObject({ events: 1, log: 'truncated', copies: true });
    const client = new MongoClient(urlOf('mongodb'));
    const db = client.db(own().own.database);
    const rows = db.collection<{ readonly _id: number }>(`${first?.generation}.pinpoint`);
    await rows.updateOne({ _id: pinpoint.id }, { $set: { text: '{"name":"forged"}' } });
    await db.collection(`history.${first?.history.generation}.entry`).updateOne({ position: { $gt: 0 } }, { $set: { actor: 'forged' } });
    await client.close();
    expect(await desk.json(['verify'], 5)).toMatchObject({
      sound: false,
      readModels: { equal: false },
      history: { equal: false },
      unchecked: [],
    });
    const { code, stdout, stderr } = await desk.run('rebuild');
    expect([code, stdout, stderr]).toEqual([
      5,
      expect.stringContaining(`pinpoint ${pinpoint.id}`),
      expect.stringContaining('differed from the log'),
    ]);
    // Gateways notice within about two seconds which generation is read.
    const shown = async () => (await session().read(`/pinpoints/${pinpoint.id}`))['name'] === 'true';
    await until('the pinpoint is shown as in the log', shownWithinMs, shown);
    expect(own().printed()).toContain('differed from the log');
    expect(await verificationFindings(own())).toEqual([]);
  });
});
