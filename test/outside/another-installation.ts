import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { outcome, spawnWaymark } from '../cli/waymark.ts';
import { createSampleContent } from '../crash/sample-content.ts';
import { launch, newSession, waitUntilReady } from '../crash/server.ts';
import { until } from '../crash/until.ts';
import { newRecording } from './recorded.ts';

/** Exports an installation with one account, which has an object of each kind, so that a cluster can import it.
 * @param directory a directory to create; the export is in its folder `export`
 * @param checkout where the sources are, if not here */
export const exportAnotherInstallation = async (directory: string, checkout?: string): Promise<void> => {
  mkdirSync(directory, { recursive: true });
  // A notary without its place signs nothing, so that the positions are always the same. Earlier releases have none.
  const options = checkout === undefined ? { settings: { WAYMARK_CHECKPOINTS_TO: join(directory, 'missing') } } : { checkout };
  const launched = launch(join(directory, 'house'), options);
  try {
    const server = await waitUntilReady(launched);
    // The first application is registered before anything else, so that the order of the events is always the same.
    await until(() => existsSync(join(directory, 'house', 'first-application.json')));
    const address = { WAYMARK_OPS_URL: server.operatorUrl, WAYMARK_OPS_TOKEN: server.operatorToken };
    const { run } = newRecording({ client: server.client, waymark: (words) => outcome(spawnWaymark(directory, address, words, checkout)) });
    await createSampleContent(await newSession(server, 'moved'), 'moved');
    await run('export', join(directory, 'export'), '--final');
    await server.stop();
  } finally {
    await launched.kill();
  }
};
