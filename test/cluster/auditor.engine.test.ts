import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { type Client, openClient } from '../api/client.ts';
import { filesWith } from '../api/erased-text.ts';
import { aList, aPinpoint, members } from '../api/samples.ts';
import { type Application, bodyOf, openSession, type Session, tokenCall } from '../api/session.ts';
import { useDesk } from '../cli/waymark.ts';
import { type Cluster, startCluster } from './setup/cluster.ts';
import { dumpInto } from './setup/dump.ts';

type History = {
  readonly results: readonly { readonly action: string; readonly changes?: object; readonly actor: { readonly id: string } }[];
};

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media'], 'An auditor of a cluster', () => {
  let cluster: Cluster | undefined;
  let client: Client;
  let me: Session;
  let other: Session;
  /** A session without the scope. */
  let unheard: Session;

  const sessionIn = async (account: string, scopes = ['read', 'write', 'audit']): Promise<Session> => {
    const order = { account, name: 'test/cluster', scopes };
    const application = bodyOf<Application>(await (cluster as Cluster).operator('POST', '/applications', order), 201);
    const { access_token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
    return openSession(client.send, application, access_token);
  };
  const ask = ({ get }: Pick<Session, 'get'>, path: string) => get(`${(cluster as Cluster).url}/audit/v1${path}/history`);
  const historyOf = async (session: Session, path: string): Promise<History> => bodyOf<History>(await ask(session, path), 200);

  const place: Record<string, string> = {};
  const desk = useDesk(place);

  beforeAll(async () => {
    cluster = await startCluster();
    place['WAYMARK_DATA_DIR'] = cluster.directory;
    client = openClient(cluster.url);
    me = await sessionIn(ownName('audited'));
    other = await sessionIn(ownName('other'));
    unheard = await sessionIn(me.application.account, ['read', 'write']);
  });
  afterAll(async () => {
    client?.close();
    await cluster?.stop();
  });

  it('answers with every change that was acknowledged before the request', async () => {
    const pinpoint = await me.create('/pinpoints', aPinpoint({ name: 'Name 0' }));
    for (const nth of [1, 2, 3, 4, 5]) {
      bodyOf(await me.put(`/pinpoints/${pinpoint.id}`, aPinpoint({ name: `Name ${nth}` })), 200);
      const { results } = await historyOf(me, `/pinpoints/${pinpoint.id}`);
      expect(results).toHaveLength(nth + 1);
      expect(results[0]).toMatchObject({ action: 'edited', changes: { name: { old: `Name ${nth - 1}`, new: `Name ${nth}` } } });
      expect(results[0]?.actor.id).toBe(me.application.client_id);
    }
  });

  it('shows memberships on both sides', async () => {
    const pinpoint = await me.create('/pinpoints', aPinpoint());
    const list = await me.create('/lists', aList());
    bodyOf(await me.post(`/lists/${list.id}/pinpoints`, members(pinpoint.id)), 200);
    expect((await historyOf(me, `/pinpoints/${pinpoint.id}`)).results[0]?.action).toBe('added_to_list');
    expect((await historyOf(me, `/lists/${list.id}`)).results[0]?.action).toBe('members_added');
  });

  it('answers the questions of an operator, about every acknowledged change and as the command line shows it', async () => {
    const pinpoint = await me.create('/pinpoints', aPinpoint({ name: 'Before' }));
    bodyOf(await me.put(`/pinpoints/${pinpoint.id}`, aPinpoint({ name: 'After' }), { 'X-Request-Id': 'ticket-4711' }), 200);
    const show = (...words: readonly string[]) => desk.json<History>([...words, '--account', me.application.account]);
    expect((await show('history', 'pinpoint', `${pinpoint.id}`)).results.map(({ action }) => action)).toEqual(['edited', 'created']);
    expect(await show('diff', 'pinpoint', `${pinpoint.id}`, '0', '1')).toMatchObject({
      fields: { name: { old: 'Before', new: 'After' } },
    });
    expect(await show('blame', 'pinpoint', `${pinpoint.id}`)).toMatchObject({ fields: { name: { value: 'After', set: { revision: 1 } } } });
    const found = await show('activity', '--request-id', 'ticket-4711');
    expect(found.results).toMatchObject([{ object: { kind: 'pinpoints', id: pinpoint.id }, action: 'edited' }]);
    const url = `${(cluster as Cluster).url}/audit/v1/as-of/`;
    expect(found.results[0]).toMatchObject({ as_of: expect.stringContaining(url) });
  });

  it('refuses another account, and a token without the scope', async () => {
    const pinpoint = await me.create('/pinpoints', aPinpoint());
    // The other account's question waits for its own writes only.
    bodyOf(await ask(me, `/pinpoints/${pinpoint.id}`), 200);
    expect((await ask(other, `/pinpoints/${pinpoint.id}`)).status).toBe(403);
    expect((await ask(unheard, `/pinpoints/${pinpoint.id}`)).status).toBe(403);
  });

  it('has nothing of erased content, and neither has anything that a client of the engines can read, once `forget` has answered', async () => {
    const name = `secret-${ownName('name')}`;
    const pinpoint = await me.create('/pinpoints', aPinpoint({ name }));
    bodyOf(await me.put(`/pinpoints/${pinpoint.id}`, aPinpoint({ name: 'Public' })), 200);
    expect(JSON.stringify(await historyOf(me, `/pinpoints/${pinpoint.id}`))).toContain(name);
    expect(await enginesWith(name)).toEqual(['eventstore: the text', 'kafka: the text', 'mongodb: the text']);
    const order = { kind: 'pinpoint', id: pinpoint.id, account: me.application.account };
    const { copies } = bodyOf<{ copies: boolean }>(await (cluster as Cluster).operator('POST', '/forget', order), 200);
    expect(copies).toBe(true);
    expect(await enginesWith(name)).toEqual([]);
    expect(JSON.stringify(await historyOf(me, `/pinpoints/${pinpoint.id}`))).not.toContain(name);
  });

  /** Returns the engines in which the cluster keeps a text or an unsalted digest of it. */
  const enginesWith = async (text: string): Promise<readonly string[]> => {
    const directory = mkdtempSync(join(tmpdir(), 'waymark-erased-'));
    try {
      await dumpInto(directory, cluster as Cluster);
      return [...filesWith(directory, text)].sort();
    } finally {
      rmSync(directory, { recursive: true });
    }
  };
});
