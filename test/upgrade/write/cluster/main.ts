#!/usr/bin/env node
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { control } from '@waymark/test-engines/control.ts';
import { ownName } from '@waymark/test-engines/test-engines.ts';
import { openClient } from '../../../api/client.ts';
import { outcome, spawnWaymark } from '../../../cli/waymark.ts';
import { newPlace, startCluster } from '../../../cluster/setup/cluster.ts';
import { dropDatabase, removeOwn } from '../../../cluster/setup/own-names.ts';
import { exportAnotherInstallation } from '../../../outside/another-installation.ts';
import { performEverything } from '../../../outside/everything.ts';
import { newRecording } from '../../../outside/recorded.ts';
import { packed, writeArchive } from '../../archive.ts';
import { gridFs, packStores } from '../../cluster/stores.ts';
import { credentialsOf, newReader, pathOf, readAll } from '../../reads.ts';
import { clusterSettings } from '../../settings.ts';
import { givenCheckout } from '../checkout.ts';
import { dropExpired } from './drop-expired.ts';

// Writes the archive of a release's cluster. The checkout is one of the release's commit, with everything installed. The event store is emptied.
//
//   .ci/engines node services/cli/bootstrap.cjs node test/upgrade/write/cluster/main.ts CHECKOUT

const { checkout, release } = givenCheckout();
const mediaDatabase = ownName('upgrade');
const place = newPlace();
await control('wipe', 'eventstore');
await control('start', 'eventstore');
try {
  const settings = { ...clusterSettings, WAYMARK_MEDIA_URL: gridFs(mediaDatabase) };
  const cluster = await startCluster(settings, place, { checkout, acceptKey: false });
  const client = openClient(cluster.url);
  const address = { WAYMARK_OPS_URL: cluster.operatorUrl, WAYMARK_OPS_TOKEN: cluster.operatorToken };
  const life = newRecording({ client, waymark: (words) => outcome(spawnWaymark(place.directory, address, words, checkout)) });
  const another = join(place.directory, 'another');
  await exportAnotherInstallation(another, checkout);
  await life.run('import', join(another, 'export'));
  const { editor, replaced } = await performEverything(life, place.directory);
  await dropExpired(checkout);
  await life.run('writes', 'close');
  const read = await newReader(client.send, editor);
  const reads = [...(await readAll(read)), await read(pathOf(replaced))];
  client.close();
  await cluster.pause();
  const keys = { 'keys.json': packed(place.directory)['keys.json'] ?? '' };
  const file = writeArchive('cluster', {
    release,
    ...(await packStores(mediaDatabase)),
    directory: keys,
    reader: credentialsOf(editor),
    reads,
  });
  process.stdout.write(`${file}: ${reads.length} responses\n`);
} finally {
  await removeOwn(place.own);
  await dropDatabase({ database: mediaDatabase });
  rmSync(join(place.directory), { recursive: true, force: true });
}
