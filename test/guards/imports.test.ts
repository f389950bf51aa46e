import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

// The rules about imports name folders and files. Each rule must find what breaks it, and no rule may name a file that no longer exists.

const root = join(import.meta.dirname, '../..');

type Patterns = string | readonly string[] | undefined;
type Side = { readonly path?: Patterns; readonly pathNot?: Patterns };
type Rule = { readonly name: string; readonly from: Side; readonly to: Side };

const rules: readonly Rule[] = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs')).forbidden;

/** One file for each package that has a rule of its own. The file imports a process of a cluster, which imports all packages. */
const packageBreaks = rules.flatMap(({ name, from: { path } }): readonly (readonly [string, Break])[] => {
  const [, folder] = /^\^packages\/([\w-]+)\/$/.exec(String(path)) ?? [];
  if (folder === undefined || !name.endsWith('-imports')) return [];
  return [
    [name, [`packages/${folder}/curious.ts`, folder === 'cluster-runtime' ? 'services/auth/app.ts' : 'packages/cluster-runtime/some.ts']],
  ];
});

/** A file that breaks a rule, and the file that it imports. */
type Break = readonly [from: string, imported: string];

const breaks: Readonly<Record<string, Break>> = {
  'no-cycle': ['packages/domain/wheel.ts', 'packages/domain/wheel.ts'],
  resolves: ['packages/domain/lost.ts', 'packages/domain/absent.ts'],
  ...Object.fromEntries(packageBreaks),
  'domain-is-pure': ['packages/domain/impure.ts', 'packages/files/some.ts'],
  'services-stand-alone': ['services/auth/curious.ts', 'services/commands/app.ts'],
  'standalone-imports-apps': ['services/standalone/curious.ts', 'services/auth/grant.ts'],
  'cli-imports-both-forms': ['services/cli/curious.ts', 'services/auth/app.ts'],
  'adapters-stay-inside': ['services/commands/forward.ts', 'packages/event-log/eventstoredb/event-log.ts'],
  'test-code-is-for-tests': ['packages/media/tested.ts', 'packages/media/contract/media.ts'],
};

describe('Rules about imports', () => {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-arrows-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('find the imports that break them', () => {
    for (const file of ['.dependency-cruiser.cjs', 'tsconfig.json', 'tsconfig.base.json', 'package.json'])
      copyFileSync(join(root, file), join(directory, file));
    for (const [from, imported] of Object.values(breaks)) {
      if (!/absent/.test(imported)) write(directory, imported, 'export const one = 1;');
      write(directory, from, `export { one as two } from './${relative(dirname(from), imported)}';`);
    }
    const found = new Set(violationsIn(directory).map(({ rule, from }) => `${rule.name}: ${from}`));
    expect(Object.keys(breaks)).toEqual(rules.map(({ name }) => name));
    expect(Object.entries(breaks).filter(([name, [from]]) => !found.has(`${name}: ${from}`))).toEqual([]);
  });

  it('name no file that no longer exists', () => {
    const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root }).toString().split('\n');
    const patterns = rules.flatMap(({ name, from, to }) =>
      [from.path, from.pathNot, to.path, to.pathNot]
        .flatMap((some) => [some ?? []].flat().flatMap(alternatives))
        .map((one) => [name, one] as const),
    );
    const meaningless = patterns.filter(([, pattern]) => !isOfNode(pattern) && !files.some((file) => new RegExp(pattern).test(file)));
    expect(meaningless).toEqual([]);
  });
});

const write = (directory: string, path: string, text: string): void => {
  mkdirSync(join(directory, dirname(path)), { recursive: true });
  writeFileSync(join(directory, path), text);
};

type Violation = { readonly rule: { readonly name: string }; readonly from: string };

const violationsIn = (directory: string): readonly Violation[] => {
  const bin = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const { stdout, stderr } = spawnSync(process.execPath, [bin, '--output-type', 'json', 'packages', 'services'], {
    cwd: directory,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (stdout.length === 0) throw new Error(stderr.toString());
  return (JSON.parse(stdout.toString()) as { readonly summary: { readonly violations: readonly Violation[] } }).summary.violations;
};

/** Returns one pattern for each word of a pattern's groups. A reference to such a group may stand for any word. */
const alternatives = (pattern: string): readonly string[] => {
  const [group, words] = /\(([\w-]+(?:\|[\w-]+)+)\)/.exec(pattern) ?? [];
  if (group === undefined || words === undefined) return [pattern.replaceAll(/\$\d/g, '[^/]+')];
  return words.split('|').flatMap((word) => alternatives(pattern.replace(group, word)));
};

/** Whether a pattern names modules of Node, which are no files. */
const isOfNode = (pattern: string): boolean => pattern === '^crypto$';
