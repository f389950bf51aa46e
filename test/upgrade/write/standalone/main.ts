#!/usr/bin/env node
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outcome, spawnWaymark } from '../../../cli/waymark.ts';
import { launch, waitUntilReady } from '../../../crash/server.ts';
import { performEverything } from '../../../outside/everything.ts';
import { moveOut } from '../../../outside/operators.ts';
import { newRecording } from '../../../outside/recorded.ts';
import { packed, writeArchive } from '../../archive.ts';
import { credentialsOf, newReader, pathOf, readAll } from '../../reads.ts';
import { givenCheckout } from '../checkout.ts';

// Writes the archive of a release's standalone form. The checkout is one of the release's commit, with everything installed.
//
//   node test/upgrade/write/standalone/main.ts CHECKOUT

const { checkout, release } = givenCheckout();
const directory = mkdtempSync(join(tmpdir(), 'waymark-upgrade-'));
const data = join(directory, 'data');
try {
  mkdirSync(data, { mode: 0o700 });
  const server = await waitUntilReady(launch(data, { checkout }));
  const address = { WAYMARK_OPS_URL: server.operatorUrl, WAYMARK_OPS_TOKEN: server.operatorToken };
  const life = newRecording({ client: server.client, waymark: (words) => outcome(spawnWaymark(directory, address, words, checkout)) });
  const { editor, replaced } = await performEverything(life, directory);
  await moveOut(life.run, directory);
  const read = await newReader(server.client.send, editor);
  const reads = [...(await readAll(read)), await read(pathOf(replaced))];
  await server.stop();
  const exported = packed(join(directory, 'export'));
  const file = writeArchive('standalone', { release, data: packed(data), exported, reader: credentialsOf(editor), reads });
  process.stdout.write(`${file}: ${reads.length} responses\n`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
