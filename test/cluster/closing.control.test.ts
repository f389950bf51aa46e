import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describeOn, ownName } from '@waymark/test-engines/test-engines.ts';
import { openClient } from '../api/client.ts';
import { aPinpoint } from '../api/samples.ts';
import { type Application, bodyOf, openSession, tokenCall } from '../api/session.ts';
import { walk } from '../crash/load/objects.ts';
import type { Cluster } from './setup/cluster.ts';
import { environmentOf } from './setup/processes.ts';
import { until } from './setup/until.ts';
import { useCluster } from './setup/use-cluster.ts';

const root = join(import.meta.dirname, '../..');
const hangMs = 300_000;
const writersAtOnce = 8;
/** Longer than a process acts on what it knows of the stream of closings. */
const laterMs = 3_000;

jest.setTimeout(2 * hangMs);

type Figures = { readonly api: string; readonly ready: boolean };

/** Starts a command service with the settings of the cluster's own, on other ports. The operator service does not know of it. */
const startUnknown = async (cluster: Cluster) => {
  const own = { WAYMARK_PORT: '0', WAYMARK_OPS_PORT: '0', WAYMARK_LOG_LEVEL: 'info', NODE_CHANNEL_FD: undefined };
  const environment = await environmentOf(cluster, 'commands');
  const child = spawn(process.execPath, ['services/commands/main.ts'], {
    cwd: root,
    env: { ...environment, ...own },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  child.stderr.on('data', (chunk) => {
    printed += chunk;
  });
  const exited = once(child, 'exit');
  const headers = { Authorization: `Bearer ${environment['WAYMARK_STATUS_TOKEN']}`, Connection: 'close' };
  const figures = async (): Promise<Figures> => {
    const operator = /"operator":"(http[^"]+)"/.exec(printed)?.[1];
    return (await (await fetch(`${operator}/operator/figures`, { headers })).json()) as Figures;
  };
  await until('the unknown command service is ready', hangMs, async () => (await figures()).ready);
  const { api: url } = await figures();
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
  };
  return { url, stop };
};

// Writes are closed for all who use the log: it is the cluster's own.
describeOn(['eventstore', 'kafka', 'mongodb', 'redis', 'media', 'control'], 'Writes of a cluster', () => {
  const own = useCluster();

  it('are closed for a command service, too, that the operator service does not know', async () => {
    const cluster = own();
    const order = { account: ownName('account'), name: 'test/cluster', scopes: ['read', 'write'] };
    const application = bodyOf<Application>(await cluster.operator('POST', '/applications', order), 201);
    const front = openClient(cluster.url);
    const { access_token: token } = bodyOf<{ access_token: string }>(await front.send(tokenCall(application)), 200);
    const unknown = await startUnknown(cluster);
    const client = openClient(unknown.url);
    const me = openSession(client.send, application, token);
    let isClosed = false;
    let isOver = false;
    const counts = { before: 0, after: 0, refused: 0 };
    const write = async (): Promise<void> => {
      while (!isOver) {
        const isAfter = isClosed;
        const { status } = await me.post('/pinpoints', aPinpoint());
        if (status === 503) counts.refused += 1;
        else counts[isAfter ? 'after' : 'before'] += 1;
        if (status === 503) await pause(20);
      }
    };
    const writing = Promise.all(Array.from({ length: writersAtOnce }, write));
    try {
      await until('it writes', hangMs, () => counts.before > writersAtOnce);
      bodyOf(await cluster.operator('POST', '/writes', { open: false }), 200);
      isClosed = true;
      await pause(laterMs);
      const stored = await walk(openSession(front.send, application, token), '/pinpoints?limit=500');
      expect([counts.after, stored.length]).toEqual([0, counts.before]);
      expect(counts.refused).toBeGreaterThan(0);
    } finally {
      isOver = true;
      await writing;
      for (const { close } of [client, front]) close();
      await unknown.stop();
    }
  });
});
