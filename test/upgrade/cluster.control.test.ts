import { join } from 'node:path';
import { control } from '@waymark/test-engines/control.ts';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { openClient } from '../api/client.ts';
import { bodyOf } from '../api/session.ts';
import { outcome, patienceMs, spawnWaymark } from '../cli/waymark.ts';
import { type Cluster, newPlace, startCluster } from '../cluster/setup/cluster.ts';
import { dropDatabase } from '../cluster/setup/own-names.ts';
import { verificationFindings } from '../cluster/setup/rest.ts';
import { useTestServers } from '../crash/test-servers.ts';
import { archivedReleases, readArchive, readClusterArchive, unpack } from './archive.ts';
import { gridFs, unpackStores } from './cluster/stores.ts';
import { withoutCursors } from './reads.ts';
import { clusterSettings } from './settings.ts';
import { expectClusterUnchanged, readAgain } from './unchanged.ts';

const engines = ['eventstore', 'kafka', 'mongodb', 'redis', 'control', 'eventstoreFiles'] as const;
const releases = archivedReleases('cluster');
const exporters = archivedReleases('standalone');
/** The soak imports an export of each release, CI those of the first and of the last one. */
const imported = process.env['WAYMARK_SOAK'] ? exporters : exporters.filter((_, nth) => nth === 0 || nth === exporters.length - 1);

it('There is an archive of each earlier release', () =>
  expect(releases).toEqual(['v0.1.0', 'v0.1.1', 'v0.1.2', 'v0.1.3', 'v0.2.0', 'v0.3.0', 'v0.4.0', 'v0.5.0']));

describeOn(engines, 'A cluster', () => {
  const servers = useTestServers();
  const mediaDatabase = ownName('upgrade');
  const settings = () => ({ ...clusterSettings, WAYMARK_MEDIA_URL: gridFs(mediaDatabase) });
  let cluster: Cluster | undefined;
  afterEach(async () => {
    await cluster?.stop();
    await dropDatabase({ database: mediaDatabase });
  }, patienceMs);

  it.each(releases)(
    'finds what a cluster of %s stored sound, and returns what it returned then, byte for byte, also after a rebuild',
    async (release) => {
      const archive = readClusterArchive(release);
      const place = newPlace();
      unpack(archive.directory, place.directory);
      await unpackStores(archive, mediaDatabase);
      cluster = await startCluster(settings(), place, { acceptKey: false });
      expect(bodyOf(await cluster.operator('GET', '/status'), 200)).toMatchObject({ writes: 'closed' });
      await expectClusterUnchanged(cluster, archive);
    },
    2 * patienceMs,
  );

  it.each(imported)(
    'imports an export of %s, and returns what the installation returned',
    async (release) => {
      const { exported, reader, reads } = readArchive(release);
      const directory = join(servers.directory(), 'export');
      unpack(exported, directory);
      for (const action of ['wipe', 'start'] as const) await control(action, 'eventstore');
      cluster = await startCluster(settings());
      const address = { WAYMARK_OPS_URL: cluster.operatorUrl, WAYMARK_OPS_TOKEN: cluster.operatorToken };
      const importing = await outcome(spawnWaymark(directory, address, ['import', directory, '--json']));
      expect(importing).toMatchObject({ code: 0, stderr: expect.any(String) });
      expect(JSON.parse(importing.stdout)).toMatchObject({ equal: true, ended: true });
      expect(await verificationFindings(cluster)).toEqual([]);
      // Cursors name the log. The mark of an erased file (410) is in the media store, and an export does not contain it.
      const movable = reads.filter(({ path, status }) => !path.includes('cursor=') && status !== 410);
      const client = openClient(cluster.url);
      const again = await readAgain(client.send, { reader, reads: movable });
      client.close();
      expect(again.map(withoutCursors)).toEqual(movable.map(withoutCursors));
    },
    2 * patienceMs,
  );
});
