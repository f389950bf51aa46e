import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aFile } from '../api/pictures.ts';
import { aPinpoint } from '../api/samples.ts';
import { bodyOf } from '../api/session.ts';
import { patienceMs } from '../cli/waymark.ts';
import { expectSound } from '../crash/installation.ts';
import { newSession } from '../crash/server.ts';
import { useTestServers } from '../crash/test-servers.ts';

// A copy of the standalone service with what its manifests name, and nothing else of this checkout: manifests and exports are complete.

const root = join(import.meta.dirname, '../..');

describe('A packed copy', () => {
  const servers = useTestServers();
  const folder = mkdtempSync(join(tmpdir(), 'waymark-packed-'));
  const copy = join(folder, 'services/standalone');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it(
    'starts, and runs all its threads',
    async () => {
      const pnpm = join(root, '.toolchain/node_modules/.bin/pnpm');
      const deploy = ['--config.inject-workspace-packages=true', '--filter', '@waymark/standalone', 'deploy', '--prod', '--offline', copy];
      execFileSync(pnpm, deploy, { cwd: root, stdio: 'pipe' });
      expect(readdirSync(join(copy, 'node_modules/@waymark'))).toContain('event-log');
      const directory = servers.directory();
      const server = await servers.start(directory, { checkout: folder, preload: join(import.meta.dirname, 'strip-types/main.ts') });
      const session = await newSession(server);
      await session.create('/pinpoints', aPinpoint({ description: '<p onclick="x">é</p>', media_file: await aFile('image/png') }));
      bodyOf(await server.operator('POST', '/rebuild'), 200);
      await expectSound(server);
      const exported = join(folder, 'export');
      bodyOf(await server.operator('POST', '/export', { directory: exported }), 200);
      expect(existsSync(join(exported, 'export.json'))).toBe(true);
      await server.stop();
    },
    patienceMs,
  );
});
