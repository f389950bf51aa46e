import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { patienceMs, useDesk } from '../cli/waymark.ts';

/** Packages that only other commands, token requests or unused features need. An import at the top of a file would load them at each start. */
const notNeeded = [
  '@node-oauth/oauth2-server',
  '@opentelemetry/api',
  'airport-data-js',
  'body-parser',
  'cli-progress',
  'csv-parse',
  'mime-db',
  'sharp',
];

/** Files that a start may read, in all threads together. From the sources, it read more than 900. */
const filesMax = 75;

const root = join(import.meta.dirname, '../..');
const preload = pathToFileURL(join(import.meta.dirname, 'loaded/main.ts')).href;

describe('A start', () => {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-loaded-'));
  const file = join(directory, 'loaded');
  const desk = useDesk({ NODE_OPTIONS: `--import=${preload}`, LOADED_FILE: file });
  afterAll(() => rmSync(directory, { recursive: true }));

  it(
    'loads no package that only later requests or other commands need',
    async () => {
      const served = await desk.serve();
      expect(await served.stop()).toBe(0);
      const loaded = loadedFiles(file);
      const files = [...loaded, ...loaded.filter(isBundle).flatMap(sourcesOf)];
      const isLoaded = (name: string): boolean => files.some((path) => path.includes(`/node_modules/${name}/`));
      expect(isLoaded('express')).toBe(true);
      expect(notNeeded.filter(isLoaded)).toEqual([]);
    },
    patienceMs,
  );

  it('reads few files, whose source maps name our sources', () => {
    const loaded = loadedFiles(file);
    expect(loaded.length).toBeLessThan(filesMax);
    const sources = loaded.filter(isBundle).flatMap(sourcesOf);
    expect(sources).toContain(join(root, 'services/standalone/app.ts'));
    expect(sources.filter((source) => !existsSync(source))).toEqual([]);
  });
});

const loadedFiles = (file: string): readonly string[] => {
  const urls = readFileSync(file, 'utf8').split('\n');
  return [...new Set(urls.filter((url) => url.startsWith('file:')))].map((url) => fileURLToPath(url));
};

const isBundle = (path: string): boolean => path.includes('/.toolchain/bundles/');

/** Returns our files in a file of a bundle, and the folders of the libraries' files. */
const sourcesOf = (path: string): readonly string[] => {
  const { sources } = JSON.parse(readFileSync(`${path}.map`, 'utf8')) as { readonly sources: readonly string[] };
  return sources.map((source) => join(dirname(path), source));
};
