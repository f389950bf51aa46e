import { globSync } from 'node:fs';
import { join } from 'node:path';
import { inFlight } from '../api/client.ts';
import { bodyOf } from '../api/session.ts';
import { patienceMs } from '../cli/waymark.ts';
import { useGround } from '../crash/ground.ts';
import { expectSound } from '../crash/installation.ts';
import { readArchive, unpack } from './archive.ts';
import { newReader } from './reads.ts';

// What earlier releases stored is read as it was read then.

const archives = globSync('*.json.gz', { cwd: join(import.meta.dirname, 'archives') }).sort();

it('There is an archive of each earlier release', () => expect(archives).toEqual(['v0.1.0.json.gz', 'v0.1.1.json.gz']));

describe.each(archives)('A data directory of %s', (name) => {
  const ground = useGround();

  it(
    'is sound, and every read of it is answered as it was then, byte for byte, also after a rebuild',
    async () => {
      const { data, reader, reads } = readArchive(join(import.meta.dirname, 'archives', name));
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
