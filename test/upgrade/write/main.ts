#!/usr/bin/env node
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { outcome, spawnWaymark } from '../../cli/waymark.ts';
import { answering, launch } from '../../crash/server.ts';
import { live } from '../../outside/life.ts';
import { moveOut } from '../../outside/operators.ts';
import { newLife } from '../../outside/recorded.ts';
import { packed, writeArchive } from '../archive.ts';
import { newReader, pathOf, readAll } from '../reads.ts';

// Writes what a release stores, and what it answers, into an archive. The checkout is one of the release's commit, with everything installed.
//
//   node test/upgrade/write/main.ts CHECKOUT

const [given] = process.argv.slice(2);
if (given === undefined) throw new Error('Which checkout?');
const checkout = resolve(given);
const release: string = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')).version;

const directory = mkdtempSync(join(tmpdir(), 'waymark-upgrade-'));
const data = join(directory, 'data');
try {
  mkdirSync(data, { mode: 0o700 });
  const server = await answering(launch(data, { checkout }));
  const address = { WAYMARK_OPS_URL: server.operatorUrl, WAYMARK_OPS_TOKEN: server.operatorToken };
  const life = newLife({ client: server.client, waymark: (words) => outcome(spawnWaymark(directory, address, words, checkout)) });
  const { editor, replaced } = await live(life, directory);
  await moveOut(life.run, directory);
  const read = await newReader(server.client.send, editor);
  const reads = [...(await readAll(read)), await read(pathOf(replaced))];
  await server.stop();
  const { client_id, client_secret } = editor;
  const file = join(import.meta.dirname, '../archives', `v${release}.json.gz`);
  writeArchive(file, {
    release,
    data: packed(data),
    exported: packed(join(directory, 'export')),
    reader: { client_id, client_secret },
    reads,
  });
  process.stdout.write(`${file}: ${reads.length} responses\n`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
