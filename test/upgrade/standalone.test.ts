import { inFlight } from '../api/client.ts';
import { bodyOf } from '../api/session.ts';
import { patienceMs } from '../cli/waymark.ts';
import { expectSound } from '../crash/installation.ts';
import { useTestServers } from '../crash/test-servers.ts';
import { archivedReleases, readArchive, unpack } from './archive.ts';
import { newReader } from './reads.ts';

const releases = archivedReleases('standalone');

it('There is an archive of each earlier release', () => expect(releases).toEqual(['v0.1.0', 'v0.1.1']));

describe.each(releases)('A data directory of %s', (release) => {
  const ground = useTestServers();

  it(
    'is sound, and every read returns what it returned then, byte for byte, also after a rebuild',
    async () => {
      const { data, reader, reads } = readArchive(release);
      const directory = ground.directory();
      unpack(data, directory);
      const server = await ground.start(directory);
      await expectSound(server);
      const read = await newReader(server.client.send, reader);
      const readAgain = async () => inFlight(1, reads, ({ path }) => read(path));
      expect(await readAgain()).toEqual(reads);
      bodyOf(await server.operator('POST', '/rebuild'), 200);
      await expectSound(server);
      expect(await readAgain()).toEqual(reads);
      await server.stop();
    },
    patienceMs,
  );
});
