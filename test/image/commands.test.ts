import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildCommands, documented } from '../deploy/commands.ts';
import { describeWithRegistry, type Registry, startRegistry } from '../deploy/registry.ts';
import { describeWithImages } from './docker.ts';

jest.setTimeout(600_000);

const root = join(import.meta.dirname, '../..');
const shell = promisify(execFile);

describeWithImages('In a Docker engine', () => {
  describeWithRegistry('the first commands of docs/deploy.md', () => {
    let registry: Registry;
    beforeAll(async () => {
      registry = await startRegistry();
    });
    afterAll(() => registry?.stop());

    it('build the images and push them, as they stand there', async () => {
      const commands = documented('commands').slice(0, buildCommands);
      const env = { ...process.env, REGISTRY: `${registry.address}/maps` };
      await shell('sh', ['-euc', commands.join('\n')], { cwd: root, env });
      const { repositories } = (await (await fetch(`http://${registry.address}/v2/_catalog`)).json()) as {
        readonly repositories: string[];
      };
      expect(repositories).toEqual(['maps/waymark', 'maps/waymark-edge']);
    });
  });
});
