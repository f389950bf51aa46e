import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { bodyOf } from '../api/session.ts';
import { outcome, patienceMs, spawnWaymark } from '../cli/waymark.ts';
import type { Server } from '../crash/server.ts';
import { type TestServers, useTestServers } from '../crash/test-servers.ts';
import { until } from '../crash/until.ts';
import { commandLineOf } from './command-line.ts';
import { performEverything } from './everything.ts';
import { filesOf } from './files.ts';
import { expectAsBefore } from './golden.ts';
import { masking } from './masked.ts';
import { metricsIn } from './metrics.ts';
import { observed } from './observed.ts';
import { moveOut } from './operators.ts';
import { newRecording } from './recorded.ts';
import { recordBefore } from './recorder.ts';
import { settingsOfAll } from './settings.ts';

// Compares everything that is stored or sent with golden.json, because other systems rely on it and earlier releases have written it. To
// accept a wanted change, run `WAYMARK_WRITE=1 npm test -- test/outside`, which updates the file.

/** The most seconds between two checkpoints. */
const secondsMax = '86400';

type Status = { readonly notary: { readonly number: number } };

/** Runs a server until it has registered the first application. Without its place, the notary signs nothing: it signs for the first time when
 * the server starts again, and then only when it stops. So the positions of the events are always the same.
 * @param missing a place that does not exist */
const registerFirstApplication = async ({ start }: TestServers, data: string, missing: string): Promise<void> => {
  const server = await start(data, { settings: { WAYMARK_CHECKPOINTS_TO: missing } });
  await until(() => existsSync(join(data, 'first-application.json')));
  await server.stop();
};

it('The command line is unchanged', () => expectAsBefore('command line', commandLineOf()));

it('Settings are unchanged', () => expectAsBefore('settings', settingsOfAll()));

describe('A standalone installation', () => {
  const ground = useTestServers();

  it(
    'prints, answers, measures and stores the same as before',
    async () => {
      const directory = ground.directory();
      mkdirSync(directory);
      const [data, backup, exported] = ['data', 'backup', 'export'].map((name) => join(directory, name)) as [string, string, string];
      const masked = masking({ [directory]: 'directory' });
      await registerFirstApplication(ground, data, join(directory, 'missing'));
      const start = async (checkpoint: number, ports: Readonly<Record<string, string>> = {}): Promise<Server> => {
        const settings = { WAYMARK_READ_WAIT_MS: '60000', WAYMARK_NOTARY_SECONDS: secondsMax, ...ports };
        const started = await ground.start(data, { settings });
        await until(async () => bodyOf<Status>(await started.operator('GET', '/status'), 200).notary.number === checkpoint);
        return started;
      };
      let server = await start(1);
      const recorder = await recordBefore(server.operatorUrl);
      const settings = { WAYMARK_DATA_DIR: data, WAYMARK_PORT: '0', WAYMARK_OPS_PORT: '0', WAYMARK_RATE_LIMITS: 'off' };
      let address: Readonly<Record<string, string>> = { WAYMARK_OPS_URL: recorder.url, WAYMARK_OPS_TOKEN: server.operatorToken };
      const life = newRecording({
        client: server.client,
        waymark: (words) => outcome(spawnWaymark(directory, { ...settings, ...address }, words)),
      });
      /** Restarts the server at the same ports. The notary signs when it stops. */
      const sign = async (): Promise<void> => {
        const { url, operatorUrl } = server;
        await server.stop();
        server = await start(2, { WAYMARK_PORT: new URL(url).port, WAYMARK_OPS_PORT: new URL(operatorUrl).port });
        address = { ...address, WAYMARK_OPS_TOKEN: server.operatorToken };
      };
      await performEverything(life, directory, sign);
      await moveOut(life.run, directory);
      expectAsBefore('openapi', bodyOf(await server.client.send({ method: 'GET', path: '/openapi.json' }), 200));
      expectAsBefore('standalone: metrics', metricsIn(await (await fetch(`${server.operatorUrl}/metrics`)).text()));
      await server.stop();
      await recorder.close();
      address = {};
      const stored = { data: filesOf(data, masked), backup: filesOf(backup, masked, 'copy'), export: filesOf(exported, masked) };

      await life.run('restore', backup);
      await life.run('writes', 'open');
      await life.run('seed', '--demo');
      await life.run('app', 'forget-first');
      const { commands, operator, api } = observed(life, recorder.exchanges, masked);
      expectAsBefore('standalone: commands', commands);
      expectAsBefore('standalone: operator API', operator);
      expectAsBefore('standalone: API', api);
      expectAsBefore('standalone: files', stored);
    },
    patienceMs,
  );
});
