import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// Checks that the files and folders that documents refer to exist.

const root = join(import.meta.dirname, '../..');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root }).toString().trim().split('\n');
const documents = files.filter((file) => file.endsWith('.md') && existsSync(join(root, file)));
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Folders that a document names before they exist. */
const planned = ['packages/event-log/postgres/'];

/** Whether a path exists. It may omit `packages/` or `services/`, or be relative to the document. */
const isThere = (document: string, path: string): boolean =>
  ['', 'packages', 'services', dirname(document)].some((folder) => existsSync(join(root, folder, path)));

const pathsIn = (file: string): readonly string[] => {
  const paths = [...textOf(file).matchAll(/`((?:packages|services|test|docs|deploy)\/[\w./-]+|[\w-]+\/[\w/-]+\.(?:ts|cjs|md))`/g)];
  return paths.map(([, path = '']) => path).filter((path) => !planned.includes(path));
};

it('There are documents, and CONTRIBUTING.md names files', () => {
  expect(documents.length).toBeGreaterThan(10);
  expect(pathsIn('CONTRIBUTING.md').length).toBeGreaterThan(10);
});

it.each(documents)('Links of %s lead to files', (file) => {
  const links = [...textOf(file).matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, link = '']) => link);
  expect(links.filter((link) => !existsSync(join(root, dirname(file), link)))).toEqual([]);
});

it.each(documents)('Paths in %s lead to files', (file) => {
  expect(pathsIn(file).filter((path) => !isThere(file, path))).toEqual([]);
});
