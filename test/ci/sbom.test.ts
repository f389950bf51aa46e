import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

type Component = { readonly purl: string };
type Bill = { readonly bomFormat: string; readonly metadata: { readonly component: Component }; readonly components: readonly Component[] };

const root = join(import.meta.dirname, '../..');
const versionOf = (library: string): string => {
  const [, version = ''] = new RegExp(`^  ${library}: (\\S+)$`, 'm').exec(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')) ?? [];
  return version;
};

it('npm run sbom lists the components of the product in CycloneDX, without those that only its development needs', async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  const { bomFormat, metadata, components }: Bill = JSON.parse(stdout);
  expect(bomFormat).toBe('CycloneDX');
  expect(metadata.component.purl).toMatch(/^pkg:npm\/waymark@\d+\.\d+\.\d+$/);
  const purls = components.map(({ purl }) => purl);
  expect(purls).toEqual(expect.arrayContaining(['express', 'kafkajs', 'mongodb'].map((name) => `pkg:npm/${name}@${versionOf(name)}`)));
  expect(purls.filter((purl) => /npm\/(jest|typescript|fast-check)@/.test(purl))).toEqual([]);
});
