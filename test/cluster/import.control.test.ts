// Long because one migration, which takes minutes, has all its checks.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { accountId } from '@waymark/domain/account/decide.ts';
import { allocatorStream, importStream, resourceKinds, resourceStream } from '@waymark/domain/streams.ts';
import { openEventStoreLog } from '@waymark/event-log/eventstoredb/event-log.ts';
import { sealReservation } from '@waymark/event-log/id-allocator.ts';
import { newEventId } from '@waymark/event-log/seal.ts';
import { openSqliteEventLog } from '@waymark/event-log/sqlite/event-log.ts';
import { type CheckedCheckpoint, checkedCheckpoints } from '@waymark/notary/testing/some-notary.ts';
import { freeIds } from '@waymark/operations/testing/some-target.ts';
import { ownDataDirectory } from '@waymark/standalone/data-directory/data-directory.ts';
import { control } from '@waymark/test-engines/control.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { openExport } from '@waymark/transfer/reader.ts';
import { openClient } from '../api/client.ts';
import { covered, coveredJson, type Tree } from '../api/evidence.ts';
import { aFile } from '../api/pictures.ts';
import { aList, anEvent, aPinpoint, members } from '../api/samples.ts';
import { type Application, bodyOf, openSession, type Session, tokenCall } from '../api/session.ts';
import { useDesk } from '../cli/waymark.ts';
import { checkpointsIn } from '../crash/one-tree.ts';
import { createSampleContent } from '../crash/sample-content.ts';
import { logInAgain, newSession, type Server } from '../crash/server.ts';
import { useTestServers } from '../crash/test-servers.ts';
import { withLog } from './history/facts.ts';
import { everyAnswer, filesIn } from './setup/answers.ts';
import { type Cluster, startCluster } from './setup/cluster.ts';
import { copyNotary, finalOf, rootAt } from './setup/moved-notary.ts';
import { figuresOf } from './setup/processes.ts';
import { until } from './setup/until.ts';

/** The public URL of both installations, as clients see it. */
const publicUrl = 'http://waymark.test';
/** The number of pinpoints. It is large enough to interrupt an import in the middle. */
const bulk = 3_000;
/** A bound that only catches hangs. */
const signsWithinMs = 120_000;
const pollEveryMs = 20;

type Imported = {
  readonly ended: boolean;
  readonly equal: boolean;
  readonly inOrder: boolean;
  readonly newEvents: number;
  readonly imported: { readonly events: number; readonly forgotten: number; readonly streams: Readonly<Record<string, number>> };
  readonly readSide: { readonly readModels: { readonly equal: boolean } } | null;
};

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'], 'an installation that moves into a cluster', () => {
  const ground = useTestServers('file');
  const place: Record<string, string> = {};
  const desk = useDesk(place);
  /** Returns the desk that runs `waymark …` on the installation in a directory. */
  const at = (directory: string) => {
    place['WAYMARK_DATA_DIR'] = directory;
    return desk;
  };
  const out = join(desk.directory, 'out');

  const checkpoints = join(desk.directory, 'checkpoints');
  const signing = { WAYMARK_PUBLIC_URL: publicUrl, WAYMARK_CHECKPOINTS_TO: checkpoints, WAYMARK_NOTARY_SECONDS: '1' };

  let directory: string;
  let source: Server;
  let cluster: Cluster;
  let erased: number;
  let erasedFile: string;
  let [one, other]: Session[] = [];
  const deleted: string[] = [];
  let rotated: { readonly client_secret: string };
  let suspended: Application;
  let auditors: readonly Application[];
  let clusterSettings: Readonly<Record<string, string>>;
  const [earlier, later, credentials] = ['earlier.ndjson', 'later.ndjson', 'auditor.json'].map((name) => join(desk.directory, name)) as [
    string,
    string,
    string,
  ];
  let before: readonly { readonly account: string; readonly tree: Tree }[];
  let former: readonly CheckedCheckpoint[];

  const operate = async <Body>(method: string, path: string, body?: object): Promise<Body> => {
    const answer = await source.operator(method, path, body);
    return answer.body as Body;
  };
  const session = (which: Session | undefined): Session => which as Session;
  /** Opens a client of the cluster, for the applications that were moved there. */
  const clusterClient = () => openClient(cluster.url);
  const movedSession = async ({ application }: Session, secret = application.client_secret): Promise<Session> => {
    const client = clusterClient();
    const answer = await client.send(tokenCall({ ...application, client_secret: secret }));
    return openSession(client.send, application, bodyOf<{ access_token: string }>(answer, 200).access_token);
  };

  const startSource = async (): Promise<void> => {
    source = await ground.start(directory, { settings: signing });
    [one, other] = [await logInAgain(source, session(one)), await logInAgain(source, session(other))];
  };
  /** Exports the history of an account before it moves, once a checkpoint covers an erasure, and keeps the tree of every account. */
  const exportEarlier = async (ofErasure: { readonly id: number; readonly revision: number }): Promise<void> => {
    const [audit, auditOther] = await Promise.all(auditors.map((application) => logInAgain(source, { application })));
    const { status } = await covered(session(audit), `/proofs/inclusion?kind=pinpoints&id=${ofErasure.id}&revision=${ofErasure.revision}`);
    expect(status).toBe(200);
    before = await Promise.all(
      [audit, auditOther].map(async (one) => ({
        account: session(one).application.account,
        tree: await coveredJson<Tree>(session(one), '/checkpoints/latest'),
      })),
    );
    writeFileSync(credentials, JSON.stringify(session(audit).application));
    await at(directory).json(['audit', 'export', earlier, '--url', source.url, '--credentials', credentials]);
  };
  /** Moves the notary as operations.md says: the server signs a last time, and the cluster starts with a copy of the notary's directory. */
  const moveNotary = async (): Promise<void> => {
    expect(await figuresOf(cluster, 'notary')).toMatchObject({ state: 'refusing', signed: 0 });
    await source.stop();
    former = await checkpointsIn(directory);
    await cluster.pause();
    copyNotary(directory, cluster.directory);
    cluster = await startCluster(clusterSettings, { ...cluster, printed: [] });
    await startSource();
  };
  const publicKeys = async (of: string): Promise<readonly string[]> =>
    (await at(of).json<{ readonly keys: readonly string[] }>(['notary', 'key'])).keys;

  beforeAll(async () => {
    // This test needs a log of its own, because the remains of other tests in it cannot be verified.
    await control('wipe', 'eventstore');
    await control('start', 'eventstore');
    directory = ground.directory();
    const log = openEventStoreLog({ url: urlOf('eventstore') });
    await beginIdsAt(directory, await freeIds(log));
    await log.close();
    mkdirSync(checkpoints);
    source = await ground.start(directory, { settings: signing });
    one = await newSession(source, ownName('one'));
    other = await newSession(source, ownName('other'));
    erased = await furnish(session(one), deleted);
    await createSampleContent(session(other), 'other');
    rotated = await operate('POST', `/applications/${session(one).application.client_id}/rotate`);
    suspended = await operate('POST', '/applications', { account: session(one).application.account, name: 'suspended', scopes: ['read'] });
    await operate('POST', `/applications/${suspended.client_id}/suspend`);
    auditors = await Promise.all(
      [one, other].map((each) =>
        operate<Application>('POST', '/applications', { account: session(each).application.account, name: 'auditor', scopes: ['audit'] }),
      ),
    );
    await operate('POST', '/forget', { kind: 'pinpoint', id: erased, account: session(one).application.account });
    await source.stop();
    clusterSettings = { ...signing, WAYMARK_NOTARY_KEY: readFileSync(join(directory, 'notary/key'), 'utf8').trim() };
    cluster = await startCluster(clusterSettings);
    await startSource();
  });
  afterAll(() => cluster?.stop());

  it('is imported while it runs, and a killed import is resumed where it stopped', async () => {
    await at(directory).json(['export', out]);
    const { manifest } = await openExport(out);
    const child = at(cluster.directory).spawn('import', out);
    child.stdout?.resume();
    child.stderr?.resume();
    await untilBegun(manifest.incarnation);
    child.kill('SIGKILL');
    const resumed = await at(cluster.directory).json<Imported>(['import', out]);
    expect(resumed).toMatchObject({ equal: true, inOrder: true, ended: false, readSide: null });
    expect(resumed.imported).toMatchObject({ events: manifest.events.count, forgotten: 3, streams: manifest.events.streams });
    expect(await everyAnswer(await movedSession(session(one)), deleted)).toEqual(await everyAnswer(session(one), deleted));
  });

  it('is imported to its end, once its writes are closed', async () => {
    const pinpoint = await session(one).create('/pinpoints', aPinpoint({ name: 'late', media_file: await aFile('image/webp') }));
    bodyOf(await session(one).put(`/pinpoints/${pinpoint.id}`, aPinpoint({ name: 'later' })), 200);
    const replaced = await session(one).create('/pinpoints', aPinpoint({ media_file: await aFile() }));
    bodyOf(await session(one).put(`/pinpoints/${replaced.id}`, aPinpoint({ media_file: await aFile('image/gif') })), 200);
    await operate('POST', '/forget', { kind: 'pinpoint', id: replaced.id, account: session(one).application.account });
    erasedFile = new URL(String(replaced['media_url'])).pathname;
    await createSampleContent(session(other), 'late');
    await exportEarlier({ id: replaced.id, revision: 2 });
    await at(directory).json(['export', out, '--final']);
    await moveNotary();
    const done = await at(cluster.directory).json<Imported>(['import', out]);
    expect(done).toMatchObject({ equal: true, inOrder: true, ended: true, readSide: { readModels: { equal: true } } });
    expect(done.newEvents).toBeGreaterThan(5);
  });

  it('continues the history that was signed, with the directory of the notary', async () => {
    await until(
      'the notary signs',
      signsWithinMs,
      async () => (await figuresOf<{ readonly number: number }>(cluster, 'notary')).number > 0,
    );
    const key = readFileSync(join(directory, 'notary/key'), 'utf8');
    const [first] = await withLog((log) => checkedCheckpoints(log, [Buffer.from(key, 'base64')]));
    expect(first?.checkpoint).toMatchObject({ number: 1, continues: finalOf(former) });
    for (const { account, tree } of before) expect(await rootAt(accountId(account), tree)).toBe(tree.root);
    expect(await at(directory).json(['audit', 'verify', earlier, '--key', ...(await publicKeys(directory))])).toMatchObject({
      sound: true,
    });
    await at(cluster.directory).json(['audit', 'export', later, '--url', cluster.url, '--credentials', credentials]);
    expect(await at(cluster.directory).json(['audit', 'verify', later, '--key', ...(await publicKeys(cluster.directory))])).toMatchObject({
      sound: true,
      findings: [],
    });
    const { number } = await figuresOf<{ readonly number: number }>(cluster, 'notary');
    const verified = await at(cluster.directory).json<{ readonly checkpoint: { readonly number: number } }>(['verify']);
    expect(verified).toMatchObject({ log: [], unchecked: [], checkpoint: { published: true } });
    expect(verified.checkpoint.number).toBeGreaterThanOrEqual(number);
  });

  it('then gives the same responses as before, byte for byte', async () => {
    for (const before of [session(one), session(other)]) {
      const after = await movedSession(before);
      const answers = await everyAnswer(before, deleted);
      expect(await everyAnswer(after, deleted)).toEqual(answers);
      const files = filesIn(answers, publicUrl);
      expect(files.length).toBeGreaterThan(2);
      const client = clusterClient();
      for (const path of files) {
        const [then, now] = await Promise.all([source.client.send({ method: 'GET', path }), client.send({ method: 'GET', path })]);
        expect([now.status, now.headers['content-type'], now.bytes]).toEqual([200, then.headers['content-type'], then.bytes]);
      }
    }
  });

  it('answers 410 for a file that was erased before', async () => {
    for (const client of [source.client, clusterClient()])
      expect((await client.send({ method: 'GET', path: erasedFile })).status).toBe(410);
  });

  it('accepts the applications with their old secrets, and rejects those that were suspended', async () => {
    await movedSession(session(one), rotated.client_secret);
    const client = clusterClient();
    for (const house of [source.client, client]) {
      const answer = await house.send(tokenCall(suspended));
      expect([answer.status, answer.body]).toEqual([400, expect.objectContaining({ error: 'unauthorized_client' })]);
    }
    const { body } = await cluster.operator('GET', '/applications');
    const { applications } = body as { applications: { client_id: string; secret_ids: string[]; status: string }[] };
    const found = (id: string | undefined) => applications.find(({ client_id }) => client_id === id);
    expect(found(one?.application.client_id)?.secret_ids).toHaveLength(2);
    expect(found(suspended.client_id)?.status).toBe('suspended');
  });

  it('keeps revisions and envelopes of erased events', async () => {
    const log = openEventStoreLog({ url: urlOf('eventstore') });
    const events = await log.read(resourceStream('pinpoint', erased), 0);
    expect(events.map(({ revision, content }) => [revision, content === null])).toEqual([
      [0, true],
      [1, true],
      [2, true],
      [3, false],
    ]);
    await log.close();
  });

  it('assigns ids that were never assigned before, and accepts writes', async () => {
    const now = await movedSession(session(one));
    const { ids } = (await openExport(out)).manifest;
    const pinpoint = await now.create('/pinpoints', aPinpoint({ name: 'new' }));
    expect(pinpoint.id).toBeGreaterThan(ids.pinpoint);
    bodyOf(await now.put(`/pinpoints/${pinpoint.id}`, aPinpoint({ name: 'newer' })), 200);
  });

  it('is not imported twice', async () => {
    const again = await at(cluster.directory).json<Imported>(['import', out]);
    expect(again).toMatchObject({ equal: true, ended: true, newEvents: 0 });
    await at(directory).json(['writes', 'open']);
    await session(one).create('/pinpoints', aPinpoint({ name: 'after the move' }));
    await at(directory).json(['export', out, '--final']);
    const refused = await at(cluster.directory).run('import', out);
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('has ended') });
  });

  it('can only be imported into a running cluster', async () => {
    expect(await at(directory).run('import', out)).toMatchObject({ code: 4, stderr: expect.stringContaining('no cluster') });
    expect(await at(ground.directory()).run('import', out)).toMatchObject({ code: 3, stderr: expect.stringContaining('Nothing runs on') });
    expect(await at(cluster.directory).run('import', desk.directory)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('no export'),
    });
  });
});

/** Makes the ids of an installation start after this id. */
const beginIdsAt = async (directory: string, id: number): Promise<void> => {
  const own = ownDataDirectory(directory);
  const log = await openSqliteEventLog({ file: own.log });
  for (const resource of resourceKinds) await log.append(allocatorStream(resource), [sealReservation(newEventId(), id)], 'none');
  await log.close();
  own.release();
};

/** Creates every kind of object that an account may have.
 * @returns the id of a pinpoint with three revisions */
const furnish = async (me: Session, deleted: string[]): Promise<number> => {
  const [first, second] = [await createSampleContent(me, 'first'), await createSampleContent(me, 'second')];
  const edited = await me.create('/pinpoints', aPinpoint({ name: 'edited', media_file: await aFile('image/jpeg') }));
  for (const name of ['once', 'twice']) bodyOf(await me.put(`/pinpoints/${edited.id}`, aPinpoint({ name })), 200);
  const doomed = await me.create('/pinpoints', aPinpoint({ name: 'doomed' }));
  const event = await me.create('/events', anEvent(doomed.id));
  const list = await me.create('/lists', aList({ name: 'doomed' }));
  bodyOf(await me.post(`/lists/${first.list.id}/pinpoints`, members(doomed.id, second.pinpoint.id)), 200);
  bodyOf(await me.post(`/lists/${list.id}/pinpoints`, members(first.pinpoint.id)), 200);
  bodyOf(await me.put(`/events/${second.event.id}`, anEvent(first.pinpoint.id, { name: 'moved' })), 200);
  for (const path of [`/pinpoints/${doomed.id}`, `/lists/${list.id}`, `/events/${first.event.id}`]) {
    expect((await me.delete(path)).status).toBe(204);
    deleted.push(path);
  }
  deleted.push(`/events/${event.id}`, `/pinpoints/${edited.id}`);
  for (let made = 0; made < bulk; made += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, nth) => me.create('/pinpoints', aPinpoint({ name: `${made + nth}` }))));
  }
  return edited.id;
};

/** Waits until some events are imported. */
const untilBegun = async (incarnation: string): Promise<void> => {
  const log = openEventStoreLog({ url: urlOf('eventstore') });
  for (;;) {
    const events = await log.read(importStream(incarnation), 0);
    if (events.some(({ content }) => JSON.parse(content ?? '{}').events > 0)) return log.close();
    await pause(pollEveryMs);
  }
};
