import { patienceMs } from '../cli/waymark.ts';
import { useTestServers } from '../crash/test-servers.ts';
import { archivedReleases, readArchive, unpack } from './archive.ts';
import { expectUnchanged } from './unchanged.ts';

const releases = archivedReleases('standalone');

it('There is an archive of each earlier release', () =>
  expect(releases).toEqual(['v0.1.0', 'v0.1.1', 'v0.1.2', 'v0.1.3', 'v0.2.0', 'v0.3.0', 'v0.4.0', 'v0.5.0']));

describe.each(releases)('A data directory of %s', (release) => {
  const servers = useTestServers();

  it(
    'is sound, and every read returns what it returned then, byte for byte, also after a rebuild',
    async () => {
      const archive = readArchive(release);
      const directory = servers.directory();
      unpack(archive.data, directory);
      const server = await servers.start(directory);
      await expectUnchanged(server, archive);
      await server.stop();
    },
    patienceMs,
  );
});
