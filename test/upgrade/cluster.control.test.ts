import { join } from 'node:path';
import { control } from '@waymark/test-engines/control.ts';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { inFlight, openClient } from '../api/client.ts';
import { bodyOf } from '../api/session.ts';
import { outcome, patienceMs, spawnWaymark } from '../cli/waymark.ts';
import { type Cluster, newPlace, startCluster } from '../cluster/setup/cluster.ts';
import { dropDatabase } from '../cluster/setup/own-names.ts';
import { verificationFindings } from '../cluster/setup/rest.ts';
import { useTestServers } from '../crash/test-servers.ts';
import { archivedReleases, readArchive, readClusterArchive, unpack } from './archive.ts';
import { gridFs, unpackStores } from './cluster/stores.ts';
import { newReader, type Read, withoutCursors } from './reads.ts';
import { clusterSettings } from './settings.ts';

const engines = ['eventstore', 'kafka', 'mongodb', 'redis', 'control', 'eventstoreFiles'] as const;
const releases = archivedReleases('cluster');

it('There is an archive of each earlier release', () => expect(releases).toEqual(['v0.1.0', 'v0.1.1']));

/** Sends the same requests again, as an application with a new token. */
const readAgain = async ({ url }: Cluster, reader: Parameters<typeof newReader>[1], reads: readonly Read[]): Promise<readonly Read[]> => {
  const client = openClient(url);
  try {
    const read = await newReader(client.send, reader);
    return await inFlight(1, reads, ({ path }) => read(path));
  } finally {
    client.close();
  }
};

describeOn(engines, 'What a cluster stored', () => {
  describe.each(releases)('with %s', (release) => {
    const mediaDatabase = ownName('upgrade');
    let cluster: Cluster | undefined;
    afterEach(async () => {
      await cluster?.stop();
      await dropDatabase({ database: mediaDatabase });
    }, patienceMs);

    it(
      'is sound, and every read returns what it returned then, byte for byte, also after a rebuild',
      async () => {
        const archive = readClusterArchive(release);
        const place = newPlace();
        unpack(archive.directory, place.directory);
        await unpackStores(archive, mediaDatabase);
        const settings = { ...clusterSettings, WAYMARK_MEDIA_URL: gridFs(mediaDatabase) };
        cluster = await startCluster(settings, place, { acceptKey: false });
        expect(await verificationFindings(cluster)).toEqual([]);
        expect(bodyOf(await cluster.operator('GET', '/status'), 200)).toMatchObject({ writes: 'closed' });
        expect(await readAgain(cluster, archive.reader, archive.reads)).toEqual(archive.reads);
        bodyOf(await cluster.operator('POST', '/rebuild'), 200);
        expect(await verificationFindings(cluster)).toEqual([]);
        expect(await readAgain(cluster, archive.reader, archive.reads)).toEqual(archive.reads);
      },
      2 * patienceMs,
    );
  });
});

describeOn(engines, 'An export', () => {
  describe.each(archivedReleases('standalone'))('of %s', (release) => {
    const ground = useTestServers();
    const mediaDatabase = ownName('upgrade');
    let cluster: Cluster | undefined;
    afterEach(async () => {
      await cluster?.stop();
      await dropDatabase({ database: mediaDatabase });
    }, patienceMs);

    it(
      'is imported into a cluster, which answers what the installation answered',
      async () => {
        const { exported, reader, reads } = readArchive(release);
        const directory = join(ground.directory(), 'export');
        unpack(exported, directory);
        for (const action of ['wipe', 'start'] as const) await control(action, 'eventstore');
        cluster = await startCluster({ ...clusterSettings, WAYMARK_MEDIA_URL: gridFs(mediaDatabase) });
        const address = { WAYMARK_OPS_URL: cluster.operatorUrl, WAYMARK_OPS_TOKEN: cluster.operatorToken };
        const imported = await outcome(spawnWaymark(directory, address, ['import', directory, '--json']));
        expect(imported).toMatchObject({ code: 0, stderr: expect.any(String) });
        expect(JSON.parse(imported.stdout)).toMatchObject({ equal: true, ended: true });
        expect(await verificationFindings(cluster)).toEqual([]);
        // Cursors name the log. The mark of an erased file (410) is in the media store, and an export does not contain it.
        const movable = reads.filter(({ path, status }) => !path.includes('cursor=') && status !== 410);
        const again = await readAgain(cluster, reader, movable);
        expect(again.map(withoutCursors)).toEqual(movable.map(withoutCursors));
      },
      2 * patienceMs,
    );
  });
});
