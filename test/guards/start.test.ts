import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { patienceMs, useDesk } from '../cli/waymark.ts';

/** Packages that only other commands, token requests or unused features need. An import at the top of a file would load them at each start. */
const notNeeded = ['@node-oauth/oauth2-server', '@opentelemetry/api', 'airport-data-js', 'cli-progress', 'csv-parse', 'sharp'];

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
      const urls = readFileSync(file, 'utf8');
      const isLoaded = (name: string): boolean => urls.includes(`/node_modules/${name}/`);
      expect(isLoaded('express')).toBe(true);
      expect(notNeeded.filter(isLoaded)).toEqual([]);
    },
    patienceMs,
  );
});
