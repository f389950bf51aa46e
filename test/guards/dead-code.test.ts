import { spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// The search for dead code depends on folders, so each kind of folder is tested.

const root = join(import.meta.dirname, '../..');

const workspaces: Readonly<Record<string, string>> = { 'packages/one': 'one', 'services/two': 'two', test: 'three' };

describe('The search for dead code', () => {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-dead-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('finds files and exports that no file imports, in each kind of folder', () => {
    for (const file of ['knip.json', 'pnpm-workspace.yaml', 'tsconfig.json', 'tsconfig.base.json'])
      copyFileSync(join(root, file), join(directory, file));
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ name: 'fixture', private: true, type: 'module' }));
    for (const [folder, name] of Object.entries(workspaces)) {
      mkdirSync(join(directory, folder), { recursive: true });
      writeFileSync(join(directory, folder, 'package.json'), JSON.stringify({ name, private: true, type: 'module' }));
      writeFileSync(
        join(directory, folder, folder.startsWith('packages') ? 'one.test.ts' : 'main.ts'),
        "import { used } from './used.ts';\n\nused();\n",
      );
      writeFileSync(join(directory, folder, 'used.ts'), 'export const used = () => 1;\nexport const unused = () => 2;\n');
      writeFileSync(join(directory, folder, 'nobody.ts'), 'export const nobody = 1;\n');
    }
    const { stdout, stderr } = spawnSync(process.execPath, [join(root, 'node_modules/knip/bin/knip.js'), '--reporter', 'json'], {
      cwd: directory,
      encoding: 'utf8',
    });
    if (stdout === '') throw new Error(stderr);
    const { issues }: Report = JSON.parse(stdout);
    const found = (folder: string) =>
      issues
        .filter(({ file }) => file.startsWith(`${folder}/`))
        .flatMap(namesOf)
        .sort();
    for (const folder of Object.keys(workspaces)) {
      expect(found(folder)).toEqual([`${folder}/nobody.ts`, `${folder}/used.ts: unused`]);
    }
  });

  it('names no file that no longer exists', () => {
    const configured: Readonly<Record<string, Patterns>> = JSON.parse(readFileSync(join(root, 'knip.json'), 'utf8')).workspaces;
    const patterns = Object.entries(configured).flatMap(([workspace, { entry, project }]) =>
      [...entry, ...project].map((pattern) => join(workspace, pattern)),
    );
    const exclude = ['**/node_modules', '**/.toolchain'];
    expect(patterns.filter((pattern) => globSync(pattern, { cwd: root, exclude }).length === 0)).toEqual([]);
  });
});

type Named = readonly { readonly name: string }[];
type Report = { readonly issues: readonly { readonly file: string; readonly files: Named; readonly exports: Named }[] };

/** Returns the files that no file imports, and the exports that no file imports. */
const namesOf = ({ file, files, exports }: Report['issues'][number]): readonly string[] => [
  ...files.map(({ name }) => name),
  ...exports.map(({ name }) => `${file}: ${name}`),
];

type Patterns = { readonly entry: readonly string[]; readonly project: readonly string[] };
