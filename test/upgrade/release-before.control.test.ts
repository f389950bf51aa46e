import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { control } from '@waymark/test-engines/control.ts';
import { describeOn, ownName, urlOf } from '@waymark/test-engines/test-engines.ts';
import { type Client, openClient } from '../api/client.ts';
import { outcome, patienceMs, spawnWaymark } from '../cli/waymark.ts';
import { type Cluster, newPlace, startCluster } from '../cluster/setup/cluster.ts';
import { dropDatabase } from '../cluster/setup/own-names.ts';
import { verificationFindings } from '../cluster/setup/rest.ts';
import { useTestServers } from '../crash/test-servers.ts';
import { performEverything } from '../outside/everything.ts';
import { newRecording } from '../outside/recorded.ts';
import { gridFs } from './cluster/stores.ts';
import { credentialsOf, newReader, pathOf, readAll } from './reads.ts';
import { clusterSettings } from './settings.ts';
import { type Earlier, expectClusterUnchanged, expectUnchanged } from './unchanged.ts';

type Operator = { readonly operatorUrl: string; readonly operatorToken: string };

const addressOf = ({ operatorUrl, operatorToken }: Operator) => ({ WAYMARK_OPS_URL: operatorUrl, WAYMARK_OPS_TOKEN: operatorToken });

/** Does everything that leaves something behind, and reads all of it. */
const writeAndRead = async (installation: Operator & { readonly client: Client }, directory: string): Promise<Earlier> => {
  const { client } = installation;
  const waymark = (words: readonly string[]) => outcome(spawnWaymark(directory, addressOf(installation), words));
  const { editor, replaced } = await performEverything(newRecording({ client, waymark }), directory);
  const read = await newReader(client.send, editor);
  return { reader: credentialsOf(editor), reads: [...(await readAll(read)), await read(pathOf(replaced))] };
};

describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'control', 'releaseBefore'], 'The release before', () => {
  const servers = useTestServers();
  const mediaDatabase = ownName('upgrade');
  const settings = () => ({ ...clusterSettings, WAYMARK_MEDIA_URL: gridFs(mediaDatabase) });
  let cluster: Cluster | undefined;
  beforeEach(async () => {
    for (const action of ['wipe', 'start'] as const) await control(action, 'eventstore');
  });
  afterEach(async () => {
    await cluster?.stop();
    await dropDatabase({ database: mediaDatabase });
  }, patienceMs);

  it(
    'finds the data directory that this release wrote sound, and returns the same responses, also after a rebuild',
    async () => {
      const [directory, files] = [servers.directory(), servers.directory()];
      mkdirSync(files);
      const server = await servers.start(directory);
      const earlier = await writeAndRead(server, files);
      await server.stop();
      const before = await servers.start(directory, { checkout: urlOf('releaseBefore') });
      await expectUnchanged(before, earlier);
      await before.stop();
    },
    2 * patienceMs,
  );

  it(
    'finds what a cluster of this release wrote to the engines sound, and returns the same responses, also after a rebuild',
    async () => {
      const place = newPlace();
      const now = await startCluster(settings(), place, { acceptKey: false });
      const client = openClient(now.url);
      const earlier = await writeAndRead({ ...now, client }, place.directory);
      client.close();
      await now.pause();
      cluster = await startCluster(settings(), place, { checkout: urlOf('releaseBefore'), acceptKey: false });
      await expectClusterUnchanged(cluster, earlier);
    },
    2 * patienceMs,
  );

  it(
    'imports an export of this release',
    async () => {
      const files = servers.directory();
      mkdirSync(files);
      const server = await servers.start(join(files, 'data'));
      await writeAndRead(server, files);
      const exported = await outcome(spawnWaymark(files, addressOf(server), ['export', join(files, 'export'), '--final']));
      expect(exported.code).toBe(0);
      await server.stop();
      const checkout = urlOf('releaseBefore');
      cluster = await startCluster(settings(), newPlace(), { checkout, acceptKey: false });
      const imported = await outcome(spawnWaymark(files, addressOf(cluster), ['import', join(files, 'export'), '--json'], checkout));
      expect(JSON.parse(imported.stdout)).toMatchObject({ equal: true, ended: true });
      expect(await verificationFindings(cluster)).toEqual([]);
    },
    2 * patienceMs,
  );
});
