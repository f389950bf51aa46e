import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { control } from '@waymark/test-engines/control.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { type Client, openClient } from '../api/client.ts';
import { aList, aPinpoint, members } from '../api/samples.ts';
import { type Application, bodyOf, idsOf, openSession, type Session, tokenCall } from '../api/session.ts';
import { patienceMs } from '../cli/waymark.ts';
import { type Cluster, newPlace, startCluster } from '../cluster/setup/cluster.ts';
import { dropDatabase } from '../cluster/setup/own-names.ts';
import { verificationFindings } from '../cluster/setup/rest.ts';
import { gridFs } from './cluster/stores.ts';
import { clusterSettings } from './settings.ts';

const rounds = 12;

/** While an operator replaces the processes one after the other, those of both releases serve the same installation. */
describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'control', 'releaseBefore'], 'The release before, beside this one', () => {
  const mediaDatabase = ownName('beside');
  const running: Cluster[] = [];
  const clients: Client[] = [];
  beforeAll(async () => {
    for (const action of ['wipe', 'start'] as const) await control(action, 'eventstore');
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    for (const cluster of running.reverse()) await cluster.stop();
    await dropDatabase({ database: mediaDatabase });
  }, patienceMs);

  /** Starts all services of both releases, with the same names on the engines and the same keys. */
  const startBoth = async (): Promise<readonly [now: Cluster, before: Cluster]> => {
    const settings = { ...clusterSettings, WAYMARK_MEDIA_URL: gridFs(mediaDatabase) };
    const place = newPlace();
    const now = await startCluster(settings, place);
    running.push(now);
    const other = { ...newPlace(), own: place.own };
    copyFileSync(join(place.directory, 'keys.json'), join(other.directory, 'keys.json'));
    const before = await startCluster(settings, other, { checkout: urlOf('releaseBefore'), acceptKey: false });
    running.push(before);
    return [now, before];
  };

  /** Opens a session of one application with each of the clusters. */
  const sessionsOn = async (clusters: readonly Cluster[]): Promise<readonly Session[]> => {
    const [now] = clusters as readonly [Cluster];
    const order = { account: ownName('beside'), name: 'test/upgrade', scopes: ['read', 'write', 'audit'] };
    const application = bodyOf<Application>(await now.operator('POST', '/applications', order), 201);
    return Promise.all(
      clusters.map(async ({ url }) => {
        const client = openClient(url);
        clients.push(client);
        const { access_token } = bodyOf<{ access_token: string }>(await client.send(tokenCall(application)), 200);
        return openSession(client.send, application, access_token);
      }),
    );
  };

  it(
    'serves what the other writes at once, and nothing of either is lost',
    async () => {
      const [now, before] = await startBoth();
      const [one, other] = (await sessionsOn([now, before])) as readonly [Session, Session];
      const list = await one.create('/lists', aList());
      const added: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const [writer, reader] = round % 2 === 0 ? [one, other] : [other, one];
        const { id } = await writer.create('/pinpoints', aPinpoint({ name: `Round ${round}` }));
        bodyOf(await reader.put(`/pinpoints/${id}`, aPinpoint({ name: `Round ${round}, edited` })), 200);
        expect((await writer.get(`/pinpoints/${id}`)).body).toMatchObject({ name: `Round ${round}, edited` });
        bodyOf(await writer.post(`/lists/${list.id}/pinpoints`, members(id)), 200);
        added.push(id);
        expect(idsOf(await reader.page(`/pinpoints?list=${list.id}`))).toEqual([...added].sort((a, b) => a - b));
        const { results } = bodyOf<{ results: readonly { action: string }[] }>(await one.get(`/audit/v1/pinpoints/${id}/history`), 200);
        expect(results.map(({ action }) => action)).toEqual(['added_to_list', 'edited', 'created']);
      }
      for (const cluster of [now, before]) expect(await verificationFindings(cluster)).toEqual([]);
    },
    2 * patienceMs,
  );
});
