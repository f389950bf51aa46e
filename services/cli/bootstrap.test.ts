import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const here = import.meta.dirname;
const files = ['bootstrap.cjs', 'install-lock.cjs', 'run.cjs', 'toolchain'];
const json = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const [manifest, lock] = [json(join(here, 'toolchain/package.json')), json(join(here, 'toolchain/package-lock.json'))];

describe('The toolchain', () => {
  it('has a digest for every package on every platform, and names no download address', () => {
    const { '': root, ...packages }: Record<string, { integrity?: string; resolved?: string; hasInstallScript?: boolean }> = lock.packages;
    expect(root).toMatchObject({ dependencies: manifest.dependencies, optionalDependencies: manifest.optionalDependencies });
    const names = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).map((name) => `node_modules/${name}`);
    expect(Object.keys(packages).sort()).toEqual(names.sort());
    for (const { integrity, resolved, hasInstallScript } of Object.values(packages)) {
      expect(integrity).toMatch(/^sha512-/);
      expect(resolved).toBeUndefined();
      expect(hasInstallScript).toBeUndefined();
    }
  });

  it('contains the package manager that the workspace names', () => {
    expect(json(join(here, '../../package.json')).packageManager).toBe(`pnpm@${manifest.dependencies.pnpm}`);
  });
});

describe('The Node of the lock file', () => {
  const nodeFileWith = (environment: NodeJS.ProcessEnv): string => {
    const script = `process.stdout.write(require(${JSON.stringify(join(here, 'bootstrap.cjs'))}).nodeFile())`;
    return execFileSync(process.execPath, ['-e', script], { encoding: 'utf8', env: environment });
  };

  it('is used with WAYMARK_NODE=pinned, whatever Node this machine has', () => {
    const pinned = nodeFileWith({ WAYMARK_NODE: 'pinned' });
    expect(pinned).toBe(join(here, `../../.toolchain/node_modules/node-${process.platform}-${process.arch}/bin/node`));
    expect(nodeFileWith({})).toBe(process.execPath);
  });
});

describe('The bootstrap, with a registry whose bytes differ', () => {
  let clone: string;
  let registry: Server;
  let url: string;
  beforeAll(async () => {
    clone = mkdtempSync(join(tmpdir(), 'waymark-clone-'));
    for (const folder of ['services/cli', 'packages']) mkdirSync(join(clone, folder), { recursive: true });
    for (const file of files) cpSync(join(here, file), join(clone, 'services/cli', file), { recursive: true });
    writeFileSync(join(clone, 'package.json'), '{}');
    const version = manifest.dependencies.pnpm;
    registry = createServer(({ url: path }, response) => {
      if (path?.endsWith('.tgz')) return response.end('not what it was');
      const one = { name: 'pnpm', version, dist: { tarball: `${url}/pnpm.tgz` } };
      response.setHeader('Content-Type', 'application/json');
      return response.end(JSON.stringify({ name: 'pnpm', 'dist-tags': { latest: version }, versions: { [version]: one } }));
    });
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await new Promise((resolve) => registry.close(resolve));
    rmSync(clone, { recursive: true });
  });

  it('installs nothing, and shows both digests', async () => {
    const environment = {
      PATH: process.env['PATH'],
      HOME: clone,
      npm_config_registry: url,
      npm_config_cache: join(clone, 'cache'),
      npm_config_fetch_retries: '0',
    };
    const said = await new Promise<string>((resolve) =>
      execFile(process.execPath, [join(clone, 'services/cli/bootstrap.cjs')], { env: environment }, (error, _, stderr) =>
        resolve(`${error?.code} ${stderr}`),
      ),
    );
    expect(said).toMatch(/^1 /);
    expect(said).toContain(`wanted ${lock.packages['node_modules/pnpm'].integrity}\ngot    sha512-`);
    expect(existsSync(join(clone, '.toolchain/node_modules/pnpm'))).toBe(false);
  });
});
